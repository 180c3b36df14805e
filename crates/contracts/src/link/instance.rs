//! What an instance of a class has, as the signature of the class says it, for props that are of its type.

use becket_base::divided;

use super::props::Expander;
use super::scope::Scope;
use crate::brackets::{body, group, split};
use crate::languages::typescript::type_shape;
use crate::model::{Declaration, DeclarationKind, Member, MemberKind, TypeParameter, TypeShape};

impl Expander<'_> {
    /// Whether this is a class that is no component.
    pub(super) fn is_plain_class(&mut self, declared: &Declaration, file: Scope<'_>) -> bool {
        declared.kind == DeclarationKind::Class && !self.is_component(declared, file)
    }

    /// The parameters of a class that is no component, and what its instances have, with what they have of its parent.
    pub(super) fn instance_of(
        &mut self,
        declared: &Declaration,
        file: Scope<'_>,
    ) -> Option<(Vec<TypeParameter>, TypeShape)> {
        let signature = declared.signatures.first()?;
        if !self.is_plain_class(declared, file) {
            return None;
        }
        let (start, end) = body(signature).unwrap_or((signature.len(), signature.len()));
        let (parameters, parent) = head(&signature[..start])?;
        let own = signature.get(start + 1..end).unwrap_or_default();
        let mut members: Vec<Member> = Vec::new();
        for text in split(own, &[';']) {
            // What can be read and written is one member.
            let one = member(&text).filter(|one| members.iter().all(|known| known.name != one.name));
            members.extend(one);
        }
        let own = TypeShape::Object(members);
        Some((
            parameters,
            match parent {
                Some(parent) => TypeShape::Intersection(vec![parent, own]),
                None => own,
            },
        ))
    }
}

/// The parameters of a class, and the type that it extends.
fn head(head: &str) -> Option<(Vec<TypeParameter>, Option<TypeShape>)> {
    let head = head.trim().trim_start_matches("abstract ").strip_prefix("class")?.trim_start();
    let name = head.find(['<', ' ']).unwrap_or(head.len());
    let (list, rest) = match head[name..].strip_prefix('<') {
        Some(_) => {
            let end = name + closing(&head[name..])?;
            (&head[name + 1..end], &head[end + 1..])
        }
        None => ("", &head[name..]),
    };
    // A class without a name has none before what it extends.
    let rest = if head.starts_with("extends ") { head } else { rest };
    let parent = rest.trim_start().strip_prefix("extends ");
    let parent = parent.and_then(|rest| type_shape(rest.split(" implements ").next()?.trim()));
    let parameters = split(list, &[',']).iter().map(|one| parameter(one)).collect();
    Some((parameters, parent))
}

/// Where the bracket ends that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut last = ' ';
    text.char_indices().find_map(|(at, letter)| {
        match letter {
            '<' => depth += 1,
            '>' if last != '=' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = letter;
        (depth == 0).then_some(at)
    })
}

/// `T extends A = B`
fn parameter(text: &str) -> TypeParameter {
    let (text, default) = text.split_once(" = ").map_or((text, None), |(text, ty)| (text, type_shape(ty)));
    let (name, constraint) =
        text.split_once(" extends ").map_or((text, None), |(name, ty)| (name, type_shape(ty)));
    let name = divided::after_last(name, b' ').to_owned();
    TypeParameter { name, constraint, default }
}

/// What is public of an instance.
fn member(text: &str) -> Option<Member> {
    let mut rest = text;
    let mut is_accessor = false;
    while let Some((word, after)) = divided::around_first(rest, b' ') {
        match word {
            "static" | "protected" | "private" => return None,
            "get" | "set" => is_accessor = true,
            "abstract" | "readonly" | "accessor" | "async" => {}
            _ => break,
        }
        rest = after;
    }
    let rest = rest.trim_start_matches('*');
    let begins = rest.find(['(', ':', '<', '?'])?;
    let (name, optional) = (&rest[..begins], rest[begins..].starts_with('?'));
    if matches!(name, "" | "constructor") || name.starts_with('[') {
        return None;
    }
    let after = rest[begins..].trim_start_matches('?');
    let (kind, text) = if let Some(ty) = after.strip_prefix(':') {
        (MemberKind::Property, ty.trim().to_owned())
    } else {
        let (start, end) = group(after, '(', ')')?;
        let result = after[end + 1..].trim_start_matches(':').trim();
        if is_accessor {
            let taken = after[start + 1..end].split_once(": ").map_or("any", |(_, ty)| ty);
            let ty = if result.is_empty() { taken } else { result };
            (MemberKind::Property, ty.to_owned())
        } else {
            (MemberKind::Method, format!("{} => {result}", &after[..=end]))
        }
    };
    Some(Member { name: name.to_owned(), kind, text, optional, doc: None, elsewhere: false })
}
