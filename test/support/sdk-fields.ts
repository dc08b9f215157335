import { join } from 'node:path';
import ts from 'typescript-6';
import { ROOT } from './paths.ts';

/** The types of a vendor's package that describe its requests. */
export type RequestType = { readonly file: string; readonly name: string };

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  skipLibCheck: true,
  types: [],
  // Arrays alone, without the browser's types and without the files that the file imports, whose types are not followed.
  lib: ['lib.es5.d.ts'],
  noResolve: true,
};

/** By path, since the language's own types are parsed for every program otherwise. */
const sources = new Map<string, ts.SourceFile | undefined>();
const host = ts.createCompilerHost(OPTIONS);
const shared: ts.CompilerHost = {
  ...host,
  getSourceFile: (path, languageVersion) => {
    if (!sources.has(path)) sources.set(path, host.getSourceFile(path, languageVersion));
    return sources.get(path);
  },
};

const programs = new Map<string, ts.Program>();
const programOf = (path: string): ts.Program => {
  const program = programs.get(path) ?? ts.createProgram([path], OPTIONS, shared);
  programs.set(path, program);
  return program;
};

/**
 * Reads every field of a request from the types of an installed package, nested ones as `speaker_options.min`, each once.
 * Only objects that the same file declares are followed: a stream or a file is a value.
 */
export const requestFields = ({ file, name }: RequestType): string[] => {
  const path = join(ROOT, 'node_modules', file);
  const program = programOf(path);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
  if (exported === undefined) throw new Error(`${file} has no type ${name}.`);
  const isOwn = (type: ts.Type): boolean =>
    (type.aliasSymbol ?? type.getSymbol())?.declarations?.some((node) => node.getSourceFile() === source) ===
    true;
  /** Some fields also take the answer to an earlier request. */
  const isAnswer = (type: ts.Type): boolean => type.aliasSymbol?.name.endsWith('Response') === true;
  const partsOf = (type: ts.Type): ts.Type[] => {
    if (type.isUnion()) return type.types.flatMap(partsOf);
    const element = checker.isArrayType(type)
      ? checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
    return element === undefined ? [type] : partsOf(element);
  };
  const fieldsOf = (type: ts.Type, prefix: string): string[] =>
    checker.getPropertiesOfType(type).flatMap((property) => {
      const field = `${prefix}${property.name}`;
      const nested = partsOf(checker.getTypeOfSymbol(property)).filter(
        (part) => (part.flags & ts.TypeFlags.Object) !== 0 && isOwn(part) && !isAnswer(part),
      );
      const inner = nested.flatMap((part) => fieldsOf(part, `${field}.`));
      return [field, ...inner];
    });
  const declared = checker.getDeclaredTypeOfSymbol(exported);
  return [...new Set(fieldsOf(declared, ''))].toSorted();
};
