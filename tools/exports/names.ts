/** The names that each entry point exports, as the compiler sees them. */
import { join } from 'node:path'
import ts from 'typescript'
import { publicPackages, ROOT, sourceEntries } from '../lib/workspace.ts'

/** The options of `tsconfig.base.json`, with Node's types for the packages that use them. */
export function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
  const { options, errors } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT)
  if (errors.length > 0) throw new Error('tsconfig.base.json cannot be read')
  return { ...options, types: ['node'], typeRoots: [join(ROOT, 'tools/node_modules/@types')] }
}

/** @returns Lines such as `@brokerwire/core: type Clock`, sorted. */
export function exportedNames(): string[] {
  const entries = publicPackages().flatMap((pkg) =>
    [...sourceEntries(pkg, ['node', 'import'])].map(([subpath, file]) => ({
      entry: pkg.manifest.name + subpath.slice(1),
      file: join(ROOT, file),
    })),
  )
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    compilerOptions(),
  )
  const checker = program.getTypeChecker()
  return entries.flatMap(({ entry, file }) => {
    const source = program.getSourceFile(file)
    const symbol = source && checker.getSymbolAtLocation(source)
    if (symbol === undefined) throw new Error(`${file}: not a module`)
    return checker
      .getExportsOfModule(symbol)
      .map((name) => `${entry}: ${isValue(checker, name) ? '' : 'type '}${name.name}`)
      .sort()
  })
}

function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const typeOnly = symbol.declarations?.some(ts.isTypeOnlyExportDeclaration) ?? false
  return (target.flags & ts.SymbolFlags.Value) !== 0 && !typeOnly
}
