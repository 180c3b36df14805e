//! Real folders and real events.

use std::fs;

use super::*;
use crate::walk::{Tests, walk};

const PATIENCE: Duration = Duration::from_secs(5);

struct Watched {
    folder: tempfile::TempDir,
    watch: TreeWatch,
}

impl Watched {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            put(folder.path(), path, "1");
        }
        let root = crate::canonical::canonical(folder.path()).unwrap();
        let mut watched = Self { folder, watch: TreeWatch::start(&root, Some(&root.join(".git")), SETTLE) };
        watched.cover();
        watched
    }

    fn cover(&mut self) -> bool {
        let walked = walk(&self.watch.root, Tests::LeftOut).unwrap();
        self.watch.cover(walked.folders.iter().map(|folder| folder.path.as_str()))
    }

    fn burst(&mut self) -> Vec<String> {
        self.watch.wait(PATIENCE).expect("a burst").paths.into_iter().collect()
    }
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_burst_is_told_once_and_names_what_happened() {
    let mut tree = Watched::new(&["src/a.ts", "src/b.ts"]);
    put(tree.folder.path(), "src/a.ts", "2");
    put(tree.folder.path(), "src/b.ts", "2");
    put(tree.folder.path(), "src/a.ts", "3");
    assert_eq!(tree.burst(), ["src/a.ts", "src/b.ts"]);
    assert_eq!(tree.watch.wait(Duration::from_millis(200)), None);
}

#[test]
fn own_output_modules_and_hidden_files_are_no_news() {
    let mut tree = Watched::new(&["src/a.ts", "node_modules/p/index.js", ".git/HEAD"]);
    for path in [
        "src/context.json",
        "context_main.json",
        "node_modules/p/index.js",
        ".git/HEAD",
        ".logicstamp/x.json",
    ] {
        put(tree.folder.path(), path, "2");
    }
    assert_eq!(tree.watch.wait(Duration::from_millis(300)), None);
    put(tree.folder.path(), ".gitignore", "a.ts\n");
    assert_eq!(tree.burst(), [".gitignore"]);
}

#[test]
fn own_output_is_news_to_who_listens_for_it() {
    let mut tree = Watched::new(&["src/a.ts", "src/context.json", "src/build/plan.ts"]);
    tree.watch.hear(Output::Heard);
    fs::remove_file(tree.folder.path().join("src/context.json")).unwrap();
    put(tree.folder.path(), "src/.context.json.0123456789abcdef.tmp", "[");
    put(tree.folder.path(), "src/build/context.json", "[]");
    assert_eq!(tree.burst(), ["src/build/context.json", "src/context.json"]);
    tree.watch.hear(Output::Unheard);
    put(tree.folder.path(), "src/context.json", "[]");
    assert_eq!(tree.watch.wait(Duration::from_millis(300)), None);
}

#[test]
fn of_what_a_build_writes_only_sources_are_news() {
    let mut tree = Watched::new(&["src/build/plan.ts", "src/build/plan.js"]);
    put(tree.folder.path(), "src/build/plan.js", "2");
    put(tree.folder.path(), "src/build/plan.d.ts", "2");
    assert_eq!(tree.watch.wait(Duration::from_millis(300)), None);
    put(tree.folder.path(), "src/build/plan.ts", "2");
    assert_eq!(tree.burst(), ["src/build/plan.ts"]);
    put(tree.folder.path(), "src/build/.gitignore", "x\n");
    assert_eq!(tree.burst(), ["src/build/.gitignore"]);
    fs::create_dir(tree.folder.path().join("src/build/deep")).unwrap();
    assert_eq!(tree.burst(), ["src/build/deep"]);
}

#[test]
fn a_folder_that_is_renamed_or_made_again_is_still_watched() {
    let mut tree = Watched::new(&["src/deep/a.ts"]);
    let root = tree.folder.path().to_owned();
    fs::rename(root.join("src"), root.join("lib")).unwrap();
    tree.burst();
    tree.cover();
    put(&root, "lib/deep/a.ts", "2");
    assert_eq!(tree.burst(), ["lib/deep/a.ts"]);
    fs::remove_dir_all(root.join("lib")).unwrap();
    put(&root, "lib/deep/a.ts", "3");
    tree.burst();
    tree.cover();
    put(&root, "lib/deep/a.ts", "4");
    assert_eq!(tree.burst(), ["lib/deep/a.ts"]);
}

#[test]
fn while_git_holds_its_index_the_burst_is_not_over() {
    let mut tree = Watched::new(&["a.ts", ".git/HEAD"]);
    let root = tree.folder.path().to_owned();
    put(&root, ".git/index.lock", "");
    put(&root, "a.ts", "2");
    let release = std::thread::spawn({
        let root = root.clone();
        move || {
            std::thread::sleep(Duration::from_millis(400));
            put(&root, "b.ts", "2");
            fs::remove_file(root.join(".git/index.lock")).unwrap();
        }
    });
    assert_eq!(tree.burst(), ["a.ts", "b.ts"]);
    release.join().unwrap();
}

#[test]
fn a_root_that_is_moved_away_is_news_and_a_look_comes_sooner_where_it_is_asked_for() {
    let mut tree = Watched::new(&["inner/a.ts"]);
    tree.watch.look_soon();
    assert!(tree.burst().is_empty());
    assert_eq!(tree.watch.wait(Duration::from_millis(1500)), None, "it was asked for once");
    fs::rename(tree.folder.path(), tree.folder.path().with_extension("moved")).unwrap();
    assert!(tree.burst().is_empty());
    fs::rename(tree.folder.path().with_extension("moved"), tree.folder.path()).unwrap();
}

#[test]
fn where_nothing_tells_the_tree_is_looked_at() {
    let mut tree = Watched::new(&["a.ts"]);
    tree.watch.source = Source::without_events("a limit");
    assert!(tree.watch.notice().is_some());
    let burst = tree.watch.wait(PATIENCE).expect("a look");
    assert!(burst.paths.is_empty());
}
