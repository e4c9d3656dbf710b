/** The exported interfaces of options of each package, from the TypeScript compiler. */
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { publicPackages, ROOT, resolveTarget, type WorkspacePackage } from '../../ci/lib/workspace.ts'

/** One option. */
export interface Option {
  /** The name. In a group, with the name of the group: `keepAlive.intervalMs`. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** The text of `@defaultValue`; empty if there is none. */
  readonly defaultValue: string
  readonly meaning: string
}

/** One exported interface. */
export interface OptionGroup {
  readonly name: string
  readonly meaning: string
  readonly options: readonly Option[]
  /** Interfaces of other packages whose options it has too: `EdgeBrokerageOptions`, and the short name of the package. */
  readonly inherited: readonly { readonly name: string; readonly package: string }[]
}

/** Begins a line in a cell of a table. */
export const LINE_BREAK = '<br>'

const NAME = /Options$/
/** A type of grpc-js, which only its interceptor receives. */
const FOREIGN = new Set(['GrpcCallOptions'])
/** Longer types are shown as what they are: a function, an object or a union. */
const MAX_TYPE_LENGTH = 90
/** Entries without options for users. */
const INTERNAL = /\/internal$/

/**
 * Returns the groups of each package, in the order of its entries.
 *
 * @throws An error that lists the options without a comment.
 */
export function readOptionGroups(): ReadonlyMap<string, readonly OptionGroup[]> {
  const packages = publicPackages()
  const entries = new Map(packages.map((pkg) => [pkg.short, entriesOf(pkg)]))
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    ROOT,
  )
  const program = ts.createProgram([...entries.values()].flat(), options)
  const checker = program.getTypeChecker()
  const missing: string[] = []
  const groups = new Map(
    packages.map(({ short, directory }) => {
      const symbols = (entries.get(short) ?? []).flatMap((file) => {
        const source = program.getSourceFile(file)
        const module = source && checker.getSymbolAtLocation(source)
        return module === undefined ? [] : checker.getExportsOfModule(module)
      })
      const found = new Map(
        symbols
          .filter(({ name }) => NAME.test(name) && !FOREIGN.has(name))
          .map((symbol) => [symbol.name, resolveAlias(symbol, checker)]),
      )
      const own = [...found].filter(([, symbol]) => packageOf(symbol) === directory)
      return [short, own.map(([name, symbol]) => groupOf(name, symbol, directory, checker, missing))] as const
    }),
  )
  if (missing.length > 0) throw new Error(`options must have a comment: ${missing.join(', ')}`)
  return groups
}

/** The source files of the entries of a package. */
function entriesOf({ manifest, directory }: WorkspacePackage): string[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([subpath]) => !INTERNAL.test(subpath))
    .map(([, target]) => resolveTarget(target, ['@brokerwire/source']))
    .filter((file) => file?.endsWith('.ts') === true)
    .map((file) => join(ROOT, directory, file ?? ''))
}

const resolveAlias = (symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** The folder of the package that declares a symbol, such as `packages/http`. */
function packageOf(symbol: ts.Symbol): string {
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  return relative(ROOT, file).split('/').slice(0, 2).join('/')
}

function groupOf(
  name: string,
  symbol: ts.Symbol,
  directory: string,
  checker: ts.TypeChecker,
  missing: string[],
): OptionGroup {
  const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties()
  const own = properties.filter((property) => packageOf(property) === directory)
  const others = properties.filter((property) => packageOf(property) !== directory)
  const inherited = new Map(
    others.flatMap((property) => {
      const parent = property.declarations?.[0]?.parent
      return parent !== undefined && ts.isInterfaceDeclaration(parent)
        ? [[parent.name.text, dirname(`${packageOf(property)}/x`).replace('packages/', '')]]
        : []
    }),
  )
  return {
    name,
    meaning: commentOf(symbol, checker),
    options: own.flatMap((property) => optionsOf('', property, checker, name, missing)),
    inherited: [...inherited].map(([of, from]) => ({ name: of ?? '', package: from ?? '' })),
  }
}

/** The text in one line, in which an item of a list begins after a line break. */
const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/\s*\n\s*- /g, `${LINE_BREAK}- `)
    .replace(/\s+/g, ' ')

const commentOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker)))

/** Returns a row for the option, and rows for the members of its type if that is an object whose members have comments. */
function optionsOf(
  prefix: string,
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
  group: string,
  missing: string[],
): Option[] {
  const name = `${prefix}${symbol.name}`
  const declaration = symbol.declarations?.[0]
  const node =
    declaration !== undefined &&
    (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration))
      ? declaration.type
      : undefined
  const meaning = commentOf(symbol, checker)
  if (meaning === '') missing.push(`${group}.${name}`)
  const tag = symbol.getJsDocTags(checker).find((one) => one.name === 'defaultValue')
  // A list that follows the tag belongs to the meaning.
  const [defaultValue = '', ...list] = oneLine(ts.displayPartsToString(tag?.text)).split(/ (?=- )/)
  const members = (node && literalIn(node)?.members) ?? []
  const inner = members.flatMap(({ name: member }) => (member && checker.getSymbolAtLocation(member)) ?? [])
  const isDescribed = inner.length > 0 && inner.every((member) => commentOf(member, checker) !== '')
  return [
    {
      name,
      type: node === undefined ? 'function' : typeText(node, isDescribed),
      isRequired: (symbol.flags & ts.SymbolFlags.Optional) === 0,
      defaultValue,
      meaning: [meaning, ...list.map((item) => item.replace(/^- /, ''))].join(' '),
    },
    ...(isDescribed ? inner.flatMap((member) => optionsOf(`${name}.`, member, checker, group, missing)) : []),
  ]
}

/** The object without a name in a type such as `{ ... } | undefined` or `false | { ... }`. */
function literalIn(node: ts.TypeNode): ts.TypeLiteralNode | undefined {
  if (ts.isTypeLiteralNode(node)) return node
  if (ts.isUnionTypeNode(node)) {
    const literals = node.types.filter(ts.isTypeLiteralNode)
    return literals.length === 1 ? literals[0] : undefined
  }
  return undefined
}

/** The type as text, without `undefined`. An object whose members have their own rows is only `object`. */
function typeText(node: ts.TypeNode, hasRows: boolean): string {
  const parts = ts.isUnionTypeNode(node) ? node.types : [node]
  const text = parts
    .filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)
    .map((part) =>
      hasRows && ts.isTypeLiteralNode(part) ? 'object' : oneLine(withoutParentheses(part).getText()),
    )
    .join(' | ')
  if (text.length <= MAX_TYPE_LENGTH) return text
  return parts.some((part) => ts.isFunctionTypeNode(part) || ts.isParenthesizedTypeNode(part))
    ? 'function'
    : `${text.slice(0, MAX_TYPE_LENGTH - 2)} …`
}

const withoutParentheses = (node: ts.TypeNode): ts.TypeNode =>
  ts.isParenthesizedTypeNode(node) ? node.type : node
