//! The owned model: what one file says by itself (`LocalFacts`), and the contract that linking makes of it
//! (`Contract`). Values only; how they are read from source is `languages`, how they are hashed `fingerprint`.

mod contract;
mod declaration;
mod facts;
mod kind;
mod next;
mod route;
mod shape;
mod shared_guards;
mod spelling;
mod style;

pub use contract::{
    ApiSignature, Contract, ContractDeclaration, Exports, ImportedAs, LogicSignature, PropType,
    UnresolvedType, Version,
};
pub use declaration::{
    ComponentFacts, ComponentForm, Declaration, DeclarationDetail, DeclarationKind, Lines, State,
};
pub(crate) use facts::Order;
pub use facts::{Diagnostic, Export, ExportOrigin, Import, ImportKind, ImportedName, LocalFacts, Severity};
pub use kind::Kind;
pub use next::{Directive, NextExports, NextFacts, NextMetadata, NextRouter, RouteRole};
pub use route::{NestApplication, NestClass, Route, RouteFramework, RouteParameter, RouteParameterSource};
pub use shape::{
    COMPONENT_TYPES, CallShape, ConditionalType, MappedType, Member, MemberKind, NATIVE_COMPONENTS,
    TypeParameter, TypeShape, is_for_react, is_react, is_react_class, is_vue, is_vue_file,
};
pub(crate) use shared_guards::{SHARED_GUARDS, fold_route, shared, unfold};
pub use spelling::{SchemaVersion, UnknownSchemaVersion};
pub use style::{StyleFacts, StyleMode};
