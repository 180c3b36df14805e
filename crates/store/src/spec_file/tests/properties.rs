//! Random files, random edits: the result says what was meant, and every byte that was not concerned is where it was.

use super::*;

/// How a task is written, besides what it says.
#[derive(Debug, Clone)]
struct Shape {
    flow: bool,
    comment: String,
    quote: char,
    unknown: bool,
}

fn shape() -> impl Strategy<Value = Shape> {
    (any::<bool>(), "( # [a-zé ]{1,8})?", prop_oneof![Just(' '), Just('\''), Just('"')], any::<bool>())
        .prop_map(|(flow, comment, quote, unknown)| Shape { flow, comment, quote, unknown })
}

fn task_text(index: usize, shape: &Shape, title: &str, line_break: &str) -> String {
    let title = match shape.quote {
        '\'' => format!("'{title}'"),
        '"' => format!("\"{title}\""),
        _ => title.to_owned(),
    };
    let comment = &shape.comment;
    if shape.flow {
        let unknown = if shape.unknown { ", owner: me" } else { "" };
        return format!("  T{index}: {{title: {title}, status: ready{unknown}}}{comment}{line_break}");
    }
    let unknown = if shape.unknown {
        format!("    owner:{line_break}      - me{comment}{line_break}")
    } else {
        String::new()
    };
    format!(
        "  T{index}:{comment}{line_break}    title: {title}{comment}{line_break}    status: ready{comment}{line_break}{unknown}    labels:{line_break}    - x{comment}{line_break}{line_break}"
    )
}

fn field() -> impl Strategy<Value = Field> {
    let text = || "[ -~é漢\n]{1,12}";
    prop_oneof![
        text().prop_map(Field::Title),
        text().prop_map(Field::Description),
        proptest::collection::vec(text(), 0..3).prop_map(Field::Labels),
        proptest::collection::vec(text(), 0..3).prop_map(Field::DependsOn),
        any::<i16>().prop_map(|number| Field::Priority(i64::from(number))),
        (0..6_usize).prop_map(|index| Field::Status(Status::ALL[index])),
        proptest::option::of("A[0-9A-F]{4}").prop_map(Field::CompletedBy),
        proptest::option::of(Just("2026-01-02T03:04:05Z".to_owned())).prop_map(Field::VerifiedAt),
        proptest::option::of(text()).prop_map(|excerpt| {
            Field::Prd(excerpt.map(|excerpt| Prd {
                source: "PRD.md".into(),
                excerpt: Some(excerpt),
                ..Prd::default()
            }))
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn an_edit_changes_what_it_means_and_nothing_else(
        shapes in proptest::collection::vec((shape(), "[a-zé]{1,8}"), 1..5),
        chosen in any::<prop::sample::Index>(),
        fields in proptest::collection::vec(field(), 1..4),
        windows in any::<bool>(),
        last_break in any::<bool>(),
    ) {
        let line_break = if windows { "\r\n" } else { "\n" };
        let parts: Vec<String> =
            shapes.iter().enumerate().map(|(index, (shape, title))| task_text(index, shape, title, line_break)).collect();
        let head = format!("# top{line_break}tasks:{line_break}");
        let mut text = format!("{head}{}", parts.concat());
        if !last_break {
            text.truncate(text.trim_end().len());
        }
        let index = chosen.index(parts.len());
        let id = format!("T{index}");
        let mut meant = read(&text).unwrap().tasks;
        for field in &fields {
            field.apply(&mut meant[index]);
        }
        let (changed, spec) = apply(&text, &[set(&id, fields.clone())]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(&spec.tasks, &meant);
        prop_assert_eq!(&read(&changed).unwrap().tasks, &meant);
        let before: usize = head.len() + parts[..index].iter().map(String::len).sum::<usize>();
        let tail: String = parts[index + 1..].concat();
        let tail = tail.trim_end();
        prop_assert_eq!(&changed[..before], &text[..before]);
        prop_assert!(changed.trim_end().ends_with(tail), "{}", changed);
        if shapes[index].0.unknown {
            prop_assert!(changed.contains("owner:"));
        }
        prop_assert!(windows == changed.contains("\r\n") || !changed.contains('\n'));
    }

    #[test]
    fn a_task_that_is_made_and_taken_out_leaves_the_file_as_it_was(
        shapes in proptest::collection::vec((shape(), "[a-z]{1,8}"), 1..5),
        windows in any::<bool>(),
    ) {
        let line_break = if windows { "\r\n" } else { "\n" };
        let parts: Vec<String> =
            shapes.iter().enumerate().map(|(index, (shape, title))| task_text(index, shape, title, line_break)).collect();
        let text = format!("tasks:{line_break}{}# end{line_break}", parts.concat());
        let (more, _) = apply(&text, &[Edit::Create(Box::new(made("NEW")))]).unwrap();
        let (back, _) = apply(&more, &[Edit::Remove { id: "NEW".into() }]).unwrap();
        prop_assert_eq!(back, text);
    }
}
