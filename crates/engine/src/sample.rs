//! A small TypeScript shop in a throw-away repository with two worktrees: what the tour walks through.

use std::path::{Path, PathBuf};

use becket_project::files;

use crate::{Error, repository::sentence};

const MONEY: &str = "/** An amount in cents, so that no sum is ever off by a rounding. */\n\
                     export type Cents = number;\n\n\
                     export function format(amount: Cents): string {\n  \
                     return `${(amount / 100).toFixed(2)} EUR`;\n}\n";

const CART: &str = "import { type Cents, format } from './money.js';\n\n\
                    export interface Line {\n  name: string;\n  price: Cents;\n  count: number;\n}\n\n\
                    export function total(lines: Line[]): Cents {\n  \
                    return lines.reduce((sum, line) => sum + line.price * line.count, 0);\n}\n\n\
                    export function receipt(lines: Line[]): string {\n  return `Total: ${format(total(lines))}`;\n}\n";

const DISCOUNT: &str = "import type { Cents } from './money.js';\n\n\
                        /** What a voucher takes off, never more than there is to pay. */\n\
                        export function discount(sum: Cents, voucher: Cents): Cents {\n  \
                        return Math.min(sum, voucher);\n}\n";

const README: &str =
    "# Corner shop\n\nSells things.\n\n## Running it\n\nUse Node 18.\n\n    npm install\n    npm start\n";

const FILES: &[(&str, &str)] = &[
    (".gitignore", "node_modules/\ncontext*.json\n"),
    ("README.md", README),
    ("package.json", "{\n  \"name\": \"corner-shop\",\n  \"private\": true,\n  \"type\": \"module\"\n}\n"),
    ("src/money.ts", MONEY),
    ("src/cart.ts", CART),
    (
        "src/Checkout.tsx",
        "import { useState } from 'react';\nimport { type Line, receipt } from './cart.js';\n\n\
         export interface CheckoutProps {\n  lines: Line[];\n  onPaid: (receipt: string) => void;\n}\n\n\
         export function Checkout({ lines, onPaid }: CheckoutProps) {\n  const [busy, setBusy] = useState(false);\n  \
         return (\n    <button disabled={busy} onClick={() => { setBusy(true); onPaid(receipt(lines)); }}>\n      \
         Pay\n    </button>\n  );\n}\n",
    ),
];

/// Where the parts of the sample are.
#[derive(Debug, Clone)]
pub struct Sample {
    pub repository: PathBuf,
    /// A second worktree, on the branch `discounts`.
    pub worktree: PathBuf,
}

impl Sample {
    /// An edit that breaks who calls it: `format` wants to know the currency.
    pub fn break_money(&self) -> Result<(), Error> {
        self.write_money(&MONEY.replace("(amount: Cents)", "(amount: Cents, currency: string)"))
    }

    /// And back again.
    pub fn mend_money(&self) -> Result<(), Error> {
        self.write_money(MONEY)
    }

    /// What a second agent does while the first one looks: the formatted amount changes its order.
    pub fn edit_money(&self) -> Result<(), Error> {
        self.write_money(
            &MONEY.replace("`${(amount / 100).toFixed(2)} EUR`", "`EUR ${(amount / 100).toFixed(2)}`"),
        )
    }

    /// Two more intents in the same tree: vouchers, in a new file and where they are used, and a line of the README.
    pub fn add_vouchers(&self) -> Result<(), Error> {
        let cart = CART
            .replace("import {", "import { discount } from './discount.js';\nimport {")
            .replace("receipt(lines: Line[])", "receipt(lines: Line[], voucher: Cents = 0)")
            .replace(
                "  return `Total: ${format(total(lines))}`;",
                "  const sum = total(lines);\n  return `Total: ${format(sum - discount(sum, voucher))}`;",
            );
        self.write("src/discount.ts", DISCOUNT)?;
        self.write("src/cart.ts", &cart)?;
        self.write("README.md", &README.replace("Node 18", "Node 22 or newer"))
    }

    fn write_money(&self, text: &str) -> Result<(), Error> {
        self.write("src/money.ts", text)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        files::write(&self.repository.join(name), text.as_bytes()).map_err(|error| {
            Error::unavailable("not_writable", sentence(&error.to_string())).with_source(error)
        })
    }
}

/// Makes the sample in an empty folder.
pub fn create(parent: &Path) -> Result<Sample, Error> {
    let repository = parent.join("corner-shop");
    let worktree = parent.join("corner-shop-discounts");
    for (name, content) in FILES {
        let path = Path::new("corner-shop").join(name);
        let folder = path.parent().unwrap_or(Path::new(""));
        files::create_folder(parent, folder)
            .and_then(|_| files::create(&parent.join(&path), content.as_bytes()))
            .map_err(|error| {
                Error::unavailable("not_writable", sentence(&error.to_string())).with_source(error)
            })?;
    }
    crate::remember::init(&repository)?;
    becket_git::create_repository(&repository, "A corner shop\n")?;
    becket_git::add_worktree(&repository, &worktree, "discounts")?;
    Ok(Sample { repository, worktree })
}

const TASKS: &str = "\
project:
  name: corner-shop
tasks:
  T001:
    title: Round amounts once, at the end
    acceptance_criteria: [no float in a sum]
    locks: [src/money.ts]
    status: ready
  T002:
    title: Print the discount on the receipt
    depends_on: [T001]
    status: ready
";

/// Two tasks for the sample, one waiting for the other.
pub fn tasks(repository: &Path) -> Result<(), Error> {
    let failed = |error: files::FileError| {
        Error::unavailable("not_writable", sentence(&error.to_string())).with_source(error)
    };
    let folder = files::create_folder(repository, Path::new(".lodestar")).map_err(failed)?;
    for (name, text) in [("spec.yaml", TASKS), (".gitignore", "runtime.sqlite*\n*.lock\n")] {
        files::write(&folder.join(name), text.as_bytes()).map_err(failed)?;
    }
    Ok(())
}
