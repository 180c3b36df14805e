//! Where declarations of a name stand among those that were read. Generated files have tens of thousands, and each is looked
//! for when it is read.

use rustc_hash::FxHashMap;

use crate::model::Declaration;

/// So many are looked through.
const FEW: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Places {
    known: FxHashMap<String, Vec<usize>>,
    /// So many of them are known.
    upto: usize,
}

impl Places {
    /// In source order. Declarations may be added since the last time, and if others were taken away that was said.
    pub(super) fn of(&mut self, declarations: &[Declaration], name: &str) -> Vec<usize> {
        if declarations.len() <= FEW {
            return (0..declarations.len()).filter(|at| declarations[*at].name == name).collect();
        }
        for (at, one) in declarations.iter().enumerate().skip(self.upto) {
            self.known.entry(one.name.clone()).or_default().push(at);
        }
        self.upto = declarations.len();
        self.known.get(name).cloned().unwrap_or_default()
    }

    /// To be called where declarations were taken away or put in the place of others.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::language::Reader;

    const MERGED: &str = "export interface I { a: string }\nexport function f(a: string): void;\n\
        export function f(a: number): void;\nexport function f(a: unknown): void {}\n\
        export interface I { b: string }\nexport namespace f { export const more = 1 }\n\
        export function Menu() { return null }\nexport function Item() { return null }\nMenu.Item = Item;\n";

    #[test]
    fn among_many_the_same_is_found_as_among_few() {
        let signatures = |others: usize| {
            let mut text = MERGED.to_owned();
            for other in 0..others {
                writeln!(text, "export const other{other} = {other};").unwrap();
            }
            // Once more, behind all of them.
            text.push_str("export interface I { c: string }\n");
            let facts = Reader::new().read("a.tsx", &text);
            assert!(facts.declarations.iter().all(|one| facts.declaration(&one.name).is_some_and(|first| {
                facts.declarations.iter().find(|other| other.name == one.name) == Some(first)
            })));
            assert_eq!(facts.declaration("other"), None);
            let told = facts.declarations.into_iter().filter(|one| !one.name.starts_with("other"));
            told.map(|one| (one.name, one.kind, one.signatures)).collect::<Vec<_>>()
        };
        let few = signatures(0);
        assert_eq!(few.iter().filter(|(name, ..)| name == "I").map(|one| one.2.len()).sum::<usize>(), 3);
        assert_eq!(signatures(100), few);
    }
}
