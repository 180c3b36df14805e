//! Configurations that are installed: where `extends: "@tsconfig/node20"` leads, as TypeScript finds it. Nothing else is
//! looked for among what is installed.

use becket_base::divided;
use serde_json::Value;

use super::modules::join;
use super::tsconfig::{Lost, wildcard};
use super::{Contents, folders_around, package_name};
use crate::walk::LeftOut;

/// Those by which TypeScript reads `exports` for a configuration.
const CONDITIONS: &[&str] = &["types", "node", "require", "default"];

/// The file that is meant by the name of a package, and perhaps of a file in it, said in a folder.
pub(super) fn config(contents: &dyn Contents, folder: &str, name: &str) -> Result<String, Lost> {
    let package = package_name(name).ok_or(Lost::Absent)?;
    let rest = name[package.len()..].trim_matches('/');
    let is_folder = |path: &str| contents.left_out(path).is_some_and(|found| !found.is_file);
    let mut why = Lost::Installed;
    for around in folders_around(folder) {
        if around.rsplit('/').next() == Some("node_modules") {
            continue;
        }
        let Some(installed) = join(around, "node_modules") else { continue };
        let Some(home) = join(&installed, package) else { continue };
        // Most folders have nothing installed, which is asked once for all that is looked for.
        if !is_folder(&installed) || !is_folder(&home) {
            continue;
        }
        if let Some(path) = within(contents, &home, rest) {
            return Ok(path);
        }
        why = Lost::Absent;
    }
    Err(why)
}

/// A file that a configuration can be, where links lead to.
pub(super) fn file(contents: &dyn Contents, path: &str) -> Option<LeftOut> {
    if !is_config(path) {
        return None;
    }
    contents.left_out(path).filter(|found| found.is_file && is_config(&found.path))
}

/// Nothing else that is left out is read: it may be somebody's secret.
pub(super) fn is_config(path: &str) -> bool {
    matches!(divided::around_last(path, b'.'), Some((_, "json" | "jsonc")))
}

fn within(contents: &dyn Contents, home: &str, rest: &str) -> Option<String> {
    let said = manifest(contents, home);
    let exports = said.as_ref().and_then(|said| said.get("exports")).filter(|exports| !exports.is_null());
    if let Some(exports) = exports {
        let mut places = exported(exports, rest).into_iter().filter_map(|to| join(home, &to));
        return places.find_map(|place| Some(file(contents, &place)?.path));
    }
    if rest.is_empty() {
        return in_folder(contents, home, said.as_ref());
    }
    let place = join(home, rest)?;
    let folder = || in_folder(contents, &place, manifest(contents, &place).as_ref());
    written(contents, &place).or_else(|| (!is_config(&place)).then(folder).flatten())
}

/// What the manifest of a folder says, or what is usual.
fn in_folder(contents: &dyn Contents, folder: &str, manifest: Option<&Value>) -> Option<String> {
    let said = manifest.and_then(|said| said.get("tsconfig")?.as_str());
    let said = said.and_then(|to| written(contents, &join(folder, to)?));
    said.or_else(|| Some(file(contents, &join(folder, "tsconfig.json")?)?.path))
}

/// With its ending, or without.
fn written(contents: &dyn Contents, place: &str) -> Option<String> {
    let found = file(contents, place).or_else(|| file(contents, &[place, ".json"].concat()));
    Some(found?.path)
}

fn manifest(contents: &dyn Contents, folder: &str) -> Option<Value> {
    let found = file(contents, &join(folder, "package.json")?)?;
    let bytes = contents.read_left_out(&found.path)?;
    serde_json::from_slice(bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes)).ok()
}

/// Where `exports` would have a name of the package lead, best first.
pub(super) fn exported(exports: &Value, rest: &str) -> Vec<String> {
    let wanted = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let by_name = exports.as_object().filter(|said| said.keys().any(|name| name.starts_with('.')));
    let mut places = Vec::new();
    match by_name {
        None if rest.is_empty() => add_places(exports, "", &mut places),
        None => {}
        Some(by_name) => {
            if let Some(said) = by_name.get(&wanted) {
                add_places(said, "", &mut places);
            } else {
                let patterns = by_name.iter().filter(|(pattern, _)| pattern.contains('*'));
                let matched =
                    patterns.filter_map(|(pattern, said)| Some((pattern, wildcard(pattern, &wanted)?, said)));
                if let Some((_, star, said)) = matched.max_by_key(|(pattern, ..)| pattern.find('*')) {
                    add_places(said, star, &mut places);
                }
            }
        }
    }
    places
}

fn add_places(said: &Value, star: &str, places: &mut Vec<String>) {
    match said {
        Value::String(to) if to.starts_with("./") => places.push(to.replace('*', star)),
        Value::Array(several) => several.iter().for_each(|one| add_places(one, star, places)),
        Value::Object(by_condition) => {
            let holds = |condition: &str| CONDITIONS.contains(&condition);
            if let Some((_, one)) = by_condition.iter().find(|(condition, _)| holds(condition)) {
                add_places(one, star, places);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exports_say_where_a_configuration_is() {
        let exports = json!({
            ".": "./cfg/root.json",
            "./a": {"import": "./cfg/import.json", "require": "./cfg/a.json"},
            "./*.json": "./cfg/*.json",
            "./list": ["./one.json", {"default": "./two.json"}],
            "./none": null,
        });
        for (rest, places) in [
            ("", vec!["./cfg/root.json"]),
            ("a", vec!["./cfg/a.json"]),
            ("b.json", vec!["./cfg/b.json"]),
            ("list", vec!["./one.json", "./two.json"]),
            ("none", vec![]),
            ("other", vec![]),
        ] {
            assert_eq!(exported(&exports, rest), places, "{rest}");
        }
        assert_eq!(exported(&json!("./x.json"), ""), ["./x.json"]);
        assert_eq!(exported(&json!({"default": "./x.json"}), ""), ["./x.json"]);
        assert!(exported(&json!("./x.json"), "y").is_empty());
    }
}
