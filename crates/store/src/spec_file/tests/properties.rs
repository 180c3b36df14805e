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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_change_in_part_is_the_change_of_the_whole(
        shapes in proptest::collection::vec((shape(), "[a-zé]{1,8}"), 1..6),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), proptest::collection::vec(field(), 1..4)), 0..4),
        creates in 0..3_usize,
        windows in any::<bool>(),
        last_break in any::<bool>(),
        features in any::<bool>(),
    ) {
        let line_break = if windows { "\r\n" } else { "\n" };
        let parts: Vec<String> =
            shapes.iter().enumerate().map(|(index, (shape, title))| task_text(index, shape, title, line_break)).collect();
        let tail = if features { format!("# between{line_break}features: {{}}{line_break}") } else { String::new() };
        let mut text = format!("# top{line_break}tasks:{line_break}{}{tail}", parts.concat());
        if !last_break {
            text.truncate(text.trim_end().len());
        }
        let mut wanted: Vec<Edit> =
            edits.iter().map(|(index, fields)| set(&format!("T{}", index.index(parts.len())), fields.clone())).collect();
        wanted.extend((0..creates).map(|count| Edit::Create(Box::new(made(&format!("NEW{count}"))))));
        let (_, layout) = super::super::read::read_with(&text, |_| false).unwrap();
        let outline = super::super::outline::Outline::of(&text, &layout).expect("an outline");
        let (whole, spec) = apply(&text, &wanted).unwrap();
        let (part, after) = outline.apply(&text, &wanted).expect("a change in part");
        prop_assert_eq!(&part, &whole);
        let scanned = super::super::outline::Outline::scan(&text).expect("lines tell it");
        prop_assert_eq!(&scanned.apply(&text, &wanted).expect("a change in part").0, &whole);
        for task in &spec.tasks {
            let found = after.task(&part, &task.id).map(Result::unwrap);
            prop_assert_eq!(found.as_ref(), Some(task));
        }
        // And once more, from the outline that the first change left.
        let again = [set("T0", vec![Field::Priority(7)]), Edit::Create(Box::new(made("LAST")))];
        let twice = apply(&whole, &again).unwrap().0;
        prop_assert_eq!(&after.apply(&part, &again).expect("a second change").0, &twice);
        if let Some(scanned) = super::super::outline::Outline::scan(&whole) {
            for task in &spec.tasks {
                let found = scanned.task(&whole, &task.id).map(Result::unwrap);
                prop_assert_eq!(found.as_ref(), Some(task));
            }
            prop_assert_eq!(&scanned.apply(&whole, &again).expect("a second change").0, &twice);
        }
    }
}

#[test]
fn what_refers_to_something_else_has_no_outline() {
    for text in [
        "tasks: {T1: {title: a}}\n",
        "tasks:\n  T1: &one\n    title: a\n  T2: *one\n",
        "base: &base {labels: [x]}\ntasks:\n  T1:\n    <<: *base\n    title: a\n",
        "tasks:\n  T1: !mine\n    title: a\n",
        "tasks: {}\n",
        "project: {}\n",
    ] {
        let (_, layout) = super::super::read::read_with(text, |_| false).unwrap();
        assert!(super::super::outline::Outline::of(text, &layout).is_none(), "{text}");
    }
}
