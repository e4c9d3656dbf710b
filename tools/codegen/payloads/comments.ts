/**
 * The comments of the decoders and of their fields. The compiler reads them from the inferred types, as an
 * editor does.
 */
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../../ci/lib/workspace.ts'

/** The comments of a decoder and its fields. */
export interface DecoderComments {
  readonly summary: string
  /** Comments by the path of a field in the output, for example `fees[].type`. */
  readonly fields: ReadonlyMap<string, string>
}

/** Comments of each decoder, by its exported name. */
export function decoderComments(): Map<string, DecoderComments> {
  const folder = join(ROOT, 'packages/payloads')
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), {}, host)
  const index = join(folder, 'src/index.ts')
  const program = ts.createProgram({ rootNames: [index], options: config?.options ?? {} })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(index)
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${index}: cannot be read`)

  const comments = new Map<string, DecoderComments>()
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const [output] = checker.getTypeArguments(checker.getTypeOfSymbol(symbol) as ts.TypeReference) ?? []
    if (output === undefined) continue
    const fields = new Map<string, string>()
    collect(checker, output, '', fields)
    comments.set(exported.name, { summary: getComment(checker, symbol), fields })
  }
  return comments
}

function collect(checker: ts.TypeChecker, type: ts.Type, prefix: string, into: Map<string, string>): void {
  for (const member of type.isUnion() ? type.types : [type]) {
    const item = checker.isArrayType(member)
      ? checker.getTypeArguments(member as ts.TypeReference)[0]
      : undefined
    if (item !== undefined) collect(checker, item, `${prefix}[]`, into)
    // Only a decoded object has `extra`. Methods of strings and numbers are not fields.
    else if (member.getProperty('extra') !== undefined) {
      for (const property of member.getProperties()) {
        const path = prefix === '' ? property.name : `${prefix}.${property.name}`
        const comment = getComment(checker, property)
        if (comment !== '') into.set(path, comment)
        collect(checker, checker.getTypeOfSymbol(property), path, into)
      }
    }
  }
}

function getComment(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ')
}
