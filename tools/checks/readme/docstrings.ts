/**
 * Examples in docstrings: each compiles like a block of a README, and each function that a README names has one.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { compilerOptions } from '../../ci/lib/compiler-options.ts'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { publicPackages, ROOT, sourceEntries } from '../../ci/lib/workspace.ts'
import type { Document } from './compile.ts'

const SOURCE = /^packages\/[^/]+\/src\/(?!.*(?:\.test(?:-d)?\.ts$|\/test\/|\/gen\/|\/generated\/)).*\.ts$/

/** The docstrings of a source file as Markdown, each line where it stands; everything else is blank. */
export function docstringDocument(file: string, text: string): Document {
  let isInside = false
  const lines = text.split('\n').map((line) => {
    if (/^\s*\/\*\*/.test(line)) isInside = true
    const shown = isInside ? (/^\s*\* ?(?!\/)(.*)$/.exec(line)?.[1] ?? '') : ''
    if (line.includes('*/')) isInside = false
    return shown
  })
  return { file, text: lines.join('\n') }
}

/** The docstrings of all that is published and has an example. */
export async function docstringDocuments(): Promise<Document[]> {
  const files = (await trackedFiles()).filter((file) => SOURCE.test(file))
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return text.includes('@example') ? [docstringDocument(file, text)] : []
  })
}

/** A function that a package exports. */
export interface ExportedFunction {
  readonly name: string
  /** Where it is defined, from the root. */
  readonly file: string
  readonly hasExample: boolean
}

function exportedFunctions(): ExportedFunction[] {
  const entries = publicPackages().flatMap((pkg) =>
    [...sourceEntries(pkg, ['node', 'import']).values()].map((file) => join(ROOT, file)),
  )
  const program = ts.createProgram(entries, compilerOptions())
  const checker = program.getTypeChecker()
  return entries.flatMap((file) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    return (module === undefined ? [] : checker.getExportsOfModule(module)).flatMap((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
      const { valueDeclaration: declaration } = symbol
      if (declaration === undefined || ts.isClassDeclaration(declaration)) return []
      const type = checker.getTypeOfSymbolAtLocation(symbol, declaration)
      if (type.getCallSignatures().length === 0) return []
      const hasExample = symbol.getJsDocTags(checker).some(({ name }) => name === 'example')
      const place = relative(ROOT, declaration.getSourceFile().fileName)
      return [{ name: exported.name, file: place, hasExample }]
    })
  })
}

/** @returns What is wrong with the examples of the functions that these pages name, one a line. */
export function missingExamples(
  pages: readonly Document[],
  functions: readonly ExportedFunction[] = exportedFunctions(),
): string[] {
  const text = pages
    .filter(({ file }) => file.endsWith('README.md'))
    .map((page) => page.text)
    .join('\n')
  const isNamed = (name: string): boolean =>
    new RegExp(`\`${name}(?:[(<]|\`)|^import [^;]*?\\b${name}\\b[^;]*? from`, 'm').test(text)
  const missing = functions
    .filter(({ name, hasExample }) => !hasExample && isNamed(name))
    .map(({ file, name }) => `${file}: ${name}: a README names it, and it has no @example`)
  return [...new Set(missing)]
}
