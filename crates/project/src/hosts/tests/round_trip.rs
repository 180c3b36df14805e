//! Random documents of every form: what init inserts, uninit takes out to the same bytes, and nothing else changes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::document::{DocumentError, Form, Slot};
use super::super::record::{Exact, FileRecord, Standing};

fn slot(form: Form) -> Slot {
    Slot { form, container: vec!["servers".to_owned()], name: "becket".to_owned() }
}

fn entry() -> Value {
    json!({"type": "stdio", "command": "becket", "args": ["mcp", "--repo", "C:\\my \"repo\""], "env": {}})
}

/// White space and comments between two tokens of JSON.
fn trivia() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just(String::new()),
        4 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        2 => Just("\n  ".to_owned()),
        2 => Just("\r\n\t".to_owned()),
        1 => Just(" // a, \"b\": {\n".to_owned()),
        1 => Just("/* } */".to_owned()),
        1 => Just(" /* ä\n, */ ".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("servers".to_owned()),
        1 => Just("mcpServers".to_owned()),
        4 => "[a-zé]{0,3}",
    ]
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.50e+3".to_owned()),
        Just("\"a // \\\" , } é\"".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let member = (trivia(), key(), trivia(), trivia(), inner.clone(), trivia())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}\"{key}\"{b}:{c}{value}{d}"));
        let element = (trivia(), inner, trivia()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        prop_oneof![
            3 => (prop::collection::vec(member, 0..4), any::<bool>(), trivia())
                .prop_map(|(members, comma, end)| list('{', &members, comma, &end, '}')),
            1 => (prop::collection::vec(element, 0..3), any::<bool>(), trivia())
                .prop_map(|(elements, comma, end)| list('[', &elements, comma, &end, ']')),
        ]
    })
}

fn list(open: char, items: &[String], trailing_comma: bool, end: &str, close: char) -> String {
    let comma = if trailing_comma && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{end}{close}", items.join(","))
}

fn json_document() -> impl Strategy<Value = String> {
    (any::<bool>(), trivia(), json_value(), trivia())
        .prop_map(|(mark, a, value, b)| format!("{}{a}{value}{b}", if mark { "\u{feff}" } else { "" }))
}

fn toml_document() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1"),
        Just("'x # y'"),
        Just("\"\"\"\n[servers.becket]\n\"\"\""),
        Just("[1, 2, # c\n]"),
        Just("{ a = 1, b.c = {} }"),
        Just("1979-05-27"),
    ];
    let line = (0..6_usize, "[a-c]", value, prop_oneof![Just(""), Just(" # why"), Just("\t")]);
    let table = (0..5_usize, "[a-c]", prop::collection::vec(line, 0..4));
    (any::<bool>(), any::<bool>(), prop::collection::vec(table, 0..5)).prop_map(|(windows, end, tables)| {
        let mut text = String::new();
        for (kind, name, lines) in tables {
            let head = match kind {
                0 => format!("[servers.{name}]\n"),
                1 => "[servers]\n".to_owned(),
                2 => format!("\n[other.{name}] # head\n"),
                3 => format!("[[many.{name}]]\n"),
                _ => String::new(),
            };
            text.push_str(&head);
            for (index, key, value, tail) in lines {
                let line = match index {
                    0 => format!("servers.{key} = {value}{tail}\n"),
                    1 => "\n".to_owned(),
                    2 => "# note\n".to_owned(),
                    _ => format!("{key}{index} = {value}{tail}\n"),
                };
                text.push_str(&line);
            }
        }
        if !end {
            text.truncate(text.trim_end_matches('\n').len());
        }
        if windows { text.replace('\n', "\r\n") } else { text }
    })
}

fn markdown_document() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            Just("# Head\n"),
            Just("\n"),
            Just("text `<!-- becket:begin -->`"),
            Just("\r\n"),
            Just("  \n"),
        ],
        0..6,
    )
    .prop_map(|parts| parts.concat())
}

/// Empty servers count as none, and an empty document as an empty object.
fn pruned(mut tree: Value) -> Value {
    if let Some(map) = tree.as_object_mut() {
        if map.get("servers") == Some(&json!({})) {
            map.shift_remove("servers");
        }
    }
    if tree == json!({}) { Value::Null } else { tree }
}

fn check(form: Form, text: &str) -> Result<(), TestCaseError> {
    let mut slot = slot(form);
    let mut entry = entry();
    if form == Form::Markdown {
        slot.container.clear();
        entry = super::super::agents_md::block().into();
    }
    // A document that is broken or of another shape is refused; that is its own test.
    let Ok(None) = slot.find(text) else { return Ok(()) };
    let edited = match slot.put(text, &entry) {
        Err(DocumentError::Shape { .. }) => return Ok(()),
        edited => edited.unwrap(),
    };

    prop_assert_eq!(slot.find(&edited.text).unwrap(), Some(entry.clone()));
    let mut tree = slot.tree_of(&edited.text);
    let holder = if slot.container.is_empty() { Some(&mut tree) } else { tree.get_mut("servers") };
    holder.and_then(Value::as_object_mut).unwrap().shift_remove("becket");
    prop_assert_eq!(pruned(tree), pruned(slot.tree_of(text)));

    let record = FileRecord {
        owner: String::new(),
        path: String::new(),
        slot: slot.clone(),
        entry,
        replaced: None,
        new_containers: edited.new_containers,
        created_file: false,
        created_folders: Vec::new(),
        exact: Some(Exact::between(Some(text), &edited.text)),
    };
    prop_assert_eq!(record.standing(Some(&edited.text)), Standing::After(Some(text.to_owned())));

    let taken = slot.take(&edited.text, edited.new_containers).unwrap();
    prop_assert_eq!(pruned(slot.tree_of(&taken)), pruned(slot.tree_of(text)));
    // A document that was nothing keeps its empty object: that init made it is for the record to know.
    let nothing = form == Form::Json && slot.tree_of(text).is_null();
    prop_assert_eq!(solid(&taken), solid(text) + if nothing { "{}" } else { "" }, "{}", edited.text);
    Ok(())
}

fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A server that somebody adds after ours stands, once ours is gone, as if ours had never been there.
fn check_neighbour(form: Form, text: &str) -> Result<(), TestCaseError> {
    let ours = slot(form);
    let theirs = Slot { name: "neighbour".to_owned(), ..slot(form) };
    let known = ours.siblings(text).unwrap_or_default();
    if known.is_empty() || known.iter().any(|(name, _)| *name == ours.name || *name == theirs.name) {
        return Ok(());
    }
    let alone = theirs.put(text, &entry()).unwrap().text;
    let both = theirs.put(&ours.put(text, &entry()).unwrap().text, &entry()).unwrap().text;
    let rest = ours.take(&both, 0).unwrap();
    if form == Form::Json {
        // Which lines theirs is laid out on follows the neighbour, which was ours.
        prop_assert_eq!(solid(&rest), solid(&alone));
    } else {
        prop_assert_eq!(rest, alone);
    }
    Ok(())
}

/// Whether documents of the intended shape are generated at all, and not only refused ones.
#[test]
fn the_documents_are_mostly_good() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let good = |form, document: BoxedStrategy<String>, runner: &mut TestRunner| {
        let good = (0..200).filter(|_| {
            let text = document.new_tree(runner).unwrap().current();
            slot(form).put(&text, &entry()).is_ok()
        });
        good.count()
    };
    let json = json_document().prop_filter("object", |text| text.contains('{')).boxed();
    assert!(good(Form::Json, json, &mut runner) > 60);
    assert!(good(Form::Toml, toml_document().boxed(), &mut runner) > 60);
}

proptest! {
    // `PROPTEST_CASES` raises the count.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_documents(text in json_document()) {
        check(Form::Json, &text)?;
    }

    #[test]
    fn json_neighbours(text in json_document()) {
        check_neighbour(Form::Json, &text)?;
    }

    #[test]
    fn toml_neighbours(text in toml_document()) {
        check_neighbour(Form::Toml, &text)?;
    }

    #[test]
    fn toml_documents(text in toml_document()) {
        check(Form::Toml, &text)?;
    }

    #[test]
    fn markdown_documents(text in markdown_document()) {
        check(Form::Markdown, &text)?;
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,40}", form in prop_oneof![Just(Form::Json), Just(Form::Toml), Just(Form::Markdown)]) {
        check(form, &text)?;
    }
}
