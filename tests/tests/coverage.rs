//! Tests of the tests: every public function is called somewhere, every error is provoked somewhere, everything that can
//! refuse is attacked, and every file is compiled.
//!
//! Sources are parsed (by `syn`, which knows the language better than a search for words does) into the items they
//! declare. Tests are read as tokens, because most calls stand inside macros, where there is no syntax tree; imports
//! tell which crate a name belongs to.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{
    Attribute, FnArg, ImplItem, Item, ReturnType, Safety, TraitItem, Type, UseTree, Visibility,
};

/// The crates whose items must be tested, and where their sources are.
const CRATES: [(&str, &str); 2] = [("ternion_core", "core/src"), ("ternion", "std-ext/src")];

/// Errors that no test can provoke, and why.
const UNREACHABLE: [(&str, &str); 2] = [
    ("ternion::ExportError::Length", "it takes a model of 4 GiB"),
    ("ternion::ExportError::NotFinite", "every fit of trits to classes has finite weights"),
];

/// Where tests are.
const TESTS: [&str; 2] = ["tests/tests", "tests/src"];
/// Where the hostile user is.
const ATTACKS: [&str; 1] = ["tests/embed/hostile/src"];

/// Every Rust file below a folder of the workspace, as text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the workspace") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("readable");
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut found);
    assert!(!found.is_empty(), "no sources in {folder}");
    found
}

fn parse(path: &Path, text: &str) -> syn::File {
    syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a crate declares.
#[derive(Default)]
pub(crate) struct Declared {
    /// Names that are re-exported, and shown in the documentation.
    exported: BTreeSet<String>,
    /// Names of types, traits and enums.
    types: BTreeSet<String>,
    functions: Vec<Function>,
    /// The methods of traits.
    provided: Vec<Function>,
    /// (enum, variant) of every public enum.
    pub(crate) variants: Vec<(String, String)>,
    /// (trait, type) of every impl of a trait for a named type.
    impls: Vec<(String, String)>,
}

/// A public function that is documented and safe: tests contain no `unsafe`.
struct Function {
    /// The type or the trait it belongs to.
    owner: Option<String>,
    name: String,
    /// Whether it is called with a dot.
    takes_self: bool,
    /// Whether it returns a `Result`.
    can_refuse: bool,
}

impl Function {
    fn new(owner: Option<&str>, signature: &syn::Signature) -> Self {
        let takes_self = matches!(signature.inputs.first(), Some(FnArg::Receiver(_)));
        let can_refuse = matches!(&signature.output, ReturnType::Type(_, returned)
            if type_name(returned).as_deref() == Some("Result"));
        let (owner, name) = (owner.map(str::to_owned), signature.ident.to_string());
        Self { owner, name, takes_self, can_refuse }
    }
}

/// Whether an attribute such as `cfg(test)` or `doc(hidden)` is among them.
fn has(attributes: &[Attribute], name: &str, argument: &str) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident(name)
            && list.is_ok_and(|list| list.tokens.to_string() == argument)
    })
}

/// Whether a function must be called in a test.
fn is_tested(
    visibility: &Visibility,
    attributes: &[Attribute],
    signature: &syn::Signature,
) -> bool {
    let hidden = has(attributes, "doc", "hidden");
    is_public(visibility) && !hidden && !matches!(signature.safety, Safety::Unsafe(_))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The name of a type without its path and its parameters.
fn type_name(of: &Type) -> Option<String> {
    let Type::Path(path) = of else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}

impl Declared {
    pub(crate) fn by(folder: &str) -> Self {
        let mut declared = Self::default();
        for (path, text) in sources(folder) {
            declared.add(&parse(&path, &text).items);
        }
        declared
    }

    fn add(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Use(item) if is_public(&item.vis) && !has(&item.attrs, "doc", "hidden") => {
                    let mut found = BTreeMap::new();
                    walk_imports(&item.tree, Vec::new(), &mut found);
                    self.exported.extend(found.into_keys());
                }
                Item::Fn(function) if is_tested(&function.vis, &function.attrs, &function.sig) => {
                    self.functions.push(Function::new(None, &function.sig));
                }
                Item::Struct(item) if is_public(&item.vis) => {
                    self.types.insert(item.ident.to_string());
                }
                Item::Enum(item) if is_public(&item.vis) => {
                    let name = item.ident.to_string();
                    let named = |variant: &syn::Variant| (name.clone(), variant.ident.to_string());
                    self.variants.extend(item.variants.iter().map(named));
                    self.types.insert(name);
                }
                Item::Trait(item) if is_public(&item.vis) => {
                    let name = item.ident.to_string();
                    for item in &item.items {
                        if let TraitItem::Fn(function) = item
                            && !has(&function.attrs, "doc", "hidden")
                        {
                            self.provided.push(Function::new(Some(&name), &function.sig));
                        }
                    }
                    self.types.insert(name);
                }
                Item::Impl(item) => self.add_impl(item),
                Item::Mod(item) if !has(&item.attrs, "cfg", "test") => {
                    self.add(item.content.as_ref().map_or(&[], |(_, items)| items));
                }
                _ => {}
            }
        }
    }

    fn add_impl(&mut self, item: &syn::ItemImpl) {
        let Some(owner) = type_name(&item.self_ty) else { return };
        if let Some((path, _)) = &item.trait_ {
            let generic = item.generics.type_params().any(|parameter| parameter.ident == owner);
            if let Some(name) = path.segments.last().filter(|_| !generic) {
                self.impls.push((name.ident.to_string(), owner));
            }
            return;
        }
        for item in &item.items {
            if let ImplItem::Fn(function) = item
                && is_tested(&function.vis, &function.attrs, &function.sig)
            {
                self.functions.push(Function::new(Some(&owner), &function.sig));
            }
        }
    }

    /// The types that implement any of some traits.
    pub(crate) fn implementors(&self, traits: &[&str]) -> BTreeSet<&str> {
        let named = self.impls.iter().filter(|(name, _)| traits.contains(&name.as_str()));
        named.map(|(_, owner)| owner.as_str()).collect()
    }
}

/// What the tests use.
#[derive(Default)]
struct Used {
    /// Paths with their imports resolved, as crate, owner and name; the owner of a function in a module is the module.
    paths: BTreeSet<(String, String, String)>,
    /// Names called with a dot.
    methods: BTreeSet<String>,
    /// All words but those of imports.
    words: BTreeSet<String>,
}

/// What a token is to a path.
#[derive(PartialEq)]
enum Token {
    Word(String),
    Colons,
    Dot,
    /// The start of an argument list.
    Arguments,
    Less,
    Greater,
    Other,
}

/// The tokens of a stream and of all its groups, one after the other.
fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let mut joint = None;
    for tree in stream {
        let before = joint.take();
        match tree {
            TokenTree::Ident(word) => tokens.push(Token::Word(word.to_string())),
            TokenTree::Group(group) => {
                let open = group.delimiter() == Delimiter::Parenthesis;
                tokens.push(if open { Token::Arguments } else { Token::Other });
                flatten(group.stream(), tokens);
                tokens.push(Token::Other);
            }
            TokenTree::Punct(mark) => match (before, mark.as_char()) {
                (Some(':'), ':') => tokens.push(Token::Colons),
                (Some('-' | '='), '>') => tokens.push(Token::Other),
                (_, ':') if mark.spacing() == proc_macro2::Spacing::Joint => joint = Some(':'),
                (_, other) => {
                    joint = Some(other);
                    tokens.push(match other {
                        '.' => Token::Dot,
                        '<' => Token::Less,
                        '>' => Token::Greater,
                        _ => Token::Other,
                    });
                }
            },
            TokenTree::Literal(_) => tokens.push(Token::Other),
        }
    }
}

/// Adds the full path of every name that a `use` brings in.
fn walk_imports(tree: &UseTree, mut path: Vec<String>, found: &mut BTreeMap<String, Vec<String>>) {
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            walk_imports(&step.tree, path, found);
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.insert(path.last().cloned().unwrap_or_default(), path);
        }
        UseTree::Name(name) => {
            path.push(name.ident.to_string());
            found.insert(name.ident.to_string(), path);
        }
        UseTree::Rename(name) => {
            path.push(name.ident.to_string());
            found.insert(name.rename.to_string(), path);
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| walk_imports(tree, path.clone(), found));
        }
        UseTree::Glob(_) => {}
    }
}

/// Where the names of a file come from: the full path of each import.
fn imports(items: &[Item]) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for item in items {
        if let Item::Use(item) = item {
            walk_imports(&item.tree, Vec::new(), &mut found);
        }
    }
    found
}

impl Used {
    /// Everything that the files of some folders use, but for this file.
    fn by(folders: &[&str]) -> Self {
        let mut used = Self::default();
        for (path, text) in folders.iter().copied().flat_map(sources) {
            if path.file_name().is_none_or(|name| name != "coverage.rs") {
                used.add(&path, &text);
            }
        }
        used
    }

    fn add(&mut self, path: &Path, text: &str) {
        let file = parse(path, text);
        let imports = imports(&file.items);
        let mut tokens = Vec::new();
        // An import is no use.
        let body = text.parse().expect("tokens");
        flatten(without_imports(body), &mut tokens);
        let mut at = 0;
        while at < tokens.len() {
            let Token::Word(first) = &tokens[at] else {
                at += 1;
                continue;
            };
            let after_dot = at > 0 && tokens[at - 1] == Token::Dot;
            let (segments, end) = path_from(&tokens, at);
            self.words.extend(segments.iter().cloned());
            if after_dot {
                // `.name(…)` or `.name::<…>(…)`.
                if tokens.get(end) == Some(&Token::Arguments) {
                    self.methods.insert(first.clone());
                }
            } else {
                let imported = imports.get(first).cloned();
                let mut full = imported.unwrap_or_else(|| vec![first.clone()]);
                full.extend(segments.into_iter().skip(1));
                if let [first, .., owner, name] = &full[..] {
                    self.paths.insert((first.clone(), owner.clone(), name.clone()));
                } else if let [first, name] = &full[..] {
                    self.paths.insert((first.clone(), first.clone(), name.clone()));
                }
            }
            at = end.max(at + 1);
        }
    }
}

/// A stream without its `use` items at the top level.
fn without_imports(stream: TokenStream) -> TokenStream {
    let mut inside = false;
    let keep = |tree: &TokenTree| {
        match tree {
            TokenTree::Ident(word) if word == "use" => inside = true,
            TokenTree::Punct(mark) if inside && mark.as_char() == ';' => {
                inside = false;
                return false;
            }
            _ => {}
        }
        !inside
    };
    stream.into_iter().filter(keep).collect()
}

/// The segments of the path that starts at a word, without generic arguments, and where it ends.
fn path_from(tokens: &[Token], start: usize) -> (Vec<String>, usize) {
    let mut segments = Vec::new();
    let mut at = start;
    while let Some(Token::Word(word)) = tokens.get(at) {
        segments.push(word.clone());
        at += 1;
        if tokens.get(at) != Some(&Token::Colons) {
            break;
        }
        at += 1;
        if tokens.get(at) == Some(&Token::Less) {
            let mut depth = 0;
            while let Some(token) = tokens.get(at) {
                depth += (*token == Token::Less) as i32 - (*token == Token::Greater) as i32;
                at += 1;
                if depth == 0 {
                    break;
                }
            }
            if tokens.get(at) != Some(&Token::Colons) {
                break;
            }
            at += 1;
        }
    }
    (segments, at)
}

/// What both crates declare.
fn declared() -> Vec<(&'static str, Declared)> {
    CRATES.into_iter().map(|(name, folder)| (name, Declared::by(folder))).collect()
}

/// Whether the tests use `owner::name` of a crate. A type that only core declares may come through either crate.
fn is_used(
    used: &Used,
    declared: &[(&str, Declared)],
    krate: &str,
    owner: &str,
    name: &str,
) -> bool {
    let elsewhere = declared.iter().find(|(other, _)| *other != krate);
    let ambiguous = elsewhere.is_some_and(|(_, other)| other.types.contains(owner));
    used.paths.iter().any(|(from, used_owner, used_name)| {
        let from = from == krate || (!ambiguous && CRATES.iter().any(|(other, _)| from == other));
        from && used_owner == owner && used_name == name
    })
}

#[test]
fn every_public_function_is_called_in_a_test() {
    let (declared, used) = (declared(), Used::by(&TESTS));
    let mut missing = Vec::new();
    let mut functions = 0;
    for (krate, items) in &declared {
        let exported = |function: &&Function| {
            function.owner.as_ref().is_some_and(|owner| items.exported.contains(owner))
        };
        // The methods of a trait are called through any type.
        let provided = items.provided.iter().filter(exported).map(|function| (function, true));
        let own = items.functions.iter().map(|function| (function, false));
        for (Function { owner, name, takes_self, .. }, through_any) in own.chain(provided) {
            functions += 1;
            let called = match owner {
                None => used.paths.iter().any(|(from, _, used)| from == krate && used == name),
                Some(_) if *takes_self && used.methods.contains(name) => true,
                Some(_) if through_any => used.paths.iter().any(|(_, _, used)| used == name),
                Some(owner) => is_used(&used, &declared, krate, owner, name),
            };
            if !called {
                let owner = owner.as_ref().map_or(String::new(), |owner| format!("{owner}::"));
                missing.push(format!("{krate}::{owner}{name}"));
            }
        }
    }
    assert!(functions > 200, "only {functions} functions found: this test has gone blind");
    assert!(missing.is_empty(), "never called in a test:\n{}", missing.join("\n"));
}

/// Functions of modules are named themselves, and of the others their types, which are found by what refuses.
#[test]
fn everything_that_can_refuse_is_attacked() {
    let attacked = Used::by(&ATTACKS).words;
    let (mut missing, mut functions) = (BTreeSet::new(), 0);
    for (krate, items) in &declared() {
        for Function { owner, name, can_refuse, .. } in &items.functions {
            let name = owner.as_ref().unwrap_or(name);
            if *can_refuse && items.exported.contains(name) {
                functions += 1;
                missing.extend((!attacked.contains(name)).then(|| format!("{krate}::{name}")));
            }
        }
    }
    assert!(functions > 150, "only {functions} functions found: this test has gone blind");
    assert!(missing.is_empty(), "no attack names {missing:?}");
}

#[test]
fn every_error_is_in_a_test() {
    let (declared, used) = (declared(), Used::by(&TESTS));
    let mut missing = BTreeSet::new();
    let mut variants = 0;
    for (krate, items) in &declared {
        for (owner, name) in items.variants.iter().filter(|(owner, _)| owner.ends_with("Error")) {
            variants += 1;
            if !is_used(&used, &declared, krate, owner, name) {
                missing.insert(format!("{krate}::{owner}::{name}"));
            }
        }
    }
    assert!(variants > 50, "only {variants} errors found: this test has gone blind");
    for (error, why) in UNREACHABLE {
        assert!(
            missing.remove(error),
            "{error} is in a test, although {why}: take it off the list"
        );
    }
    assert!(missing.is_empty(), "never provoked in a test: {missing:?}");
}

/// A file that no program names is not compiled, but counts as a test above.
#[test]
fn every_file_of_tests_is_compiled() {
    let programs = [include_str!("machines.rs"), include_str!("library.rs")].concat();
    for (path, _) in sources("tests/tests") {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let declared = programs.contains(&format!("\nmod {name};"));
        assert!(declared || ["machines", "library"].contains(&name), "no program declares {name}");
    }
}
