/**
 * Compiles every block as a module of its own, all in one run of the compiler, against the sources.
 *
 * A block stands, for the resolution of its imports, in the folder of the README that holds it; what that package
 * does not depend on is looked for in the other packages, as a reader would install it. Nothing is written.
 */
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { compilerOptions } from '../../ci/lib/compiler-options.ts'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'
import { typescriptBlocks } from './blocks.ts'

/** What was compiled, and what the compiler said. */
export interface ReadmeResult {
  readonly blocks: number
  /** `file:line: message`, lines of the Markdown file. */
  readonly problems: readonly string[]
}

interface Module {
  readonly markdown: string
  readonly line: number
  readonly code: string
}

/** A Markdown document. */
export interface Document {
  /** From the root. */
  readonly file: string
  readonly text: string
}

export function compileBlocks(documents: readonly Document[]): ReadmeResult {
  const modules = new Map<string, Module>()
  for (const { file: markdown, text } of documents) {
    for (const { line, code } of typescriptBlocks(text)) {
      modules.set(join(ROOT, dirname(markdown), `.readme-block-${modules.size}.ts`), { markdown, line, code })
    }
  }
  const options: ts.CompilerOptions = {
    ...compilerOptions(),
    moduleDetection: ts.ModuleDetectionKind.Force,
  }
  const program = ts.createProgram([...modules.keys()], options, blockHost(modules, options))
  // The sources that the blocks import are checked elsewhere, each in its own package.
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...[...modules.keys()].flatMap((file) => {
      const source = program.getSourceFile(file)
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    }),
  ]
  const problems = found.map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n  ')
    const { file, start = 0 } = diagnostic
    if (file === undefined) return text
    const module = modules.get(file.fileName)
    const line = file.getLineAndCharacterOfPosition(start).line
    return module === undefined
      ? `${file.fileName.slice(ROOT.length)}:${line + 1}: ${text}`
      : `${module.markdown}:${module.line + line}: ${text}`
  })
  return { blocks: modules.size, problems }
}

/** Parsed once, however often blocks are compiled: they import the same sources and libraries. */
const parsed = new Map<string, ts.SourceFile | undefined>()

function blockHost(modules: ReadonlyMap<string, Module>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const others = [...publicPackages().map(({ directory }) => directory), 'examples']
  const { fileExists, readFile, getSourceFile } = host
  const cache = ts.createModuleResolutionCache(ROOT, (name) => name, options)
  host.fileExists = (file) => modules.has(file) || fileExists(file)
  host.readFile = (file) => modules.get(file)?.code ?? readFile(file)
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const module = modules.get(file)
    if (module === undefined) {
      if (!parsed.has(file)) parsed.set(file, getSourceFile(file, languageVersion, ...rest))
      return parsed.get(file)
    }
    const format = typeof languageVersion === 'object' ? languageVersion : { languageVersion }
    return ts.createSourceFile(
      file,
      module.code,
      { ...format, impliedNodeFormat: ts.ModuleKind.ESNext },
      true,
    )
  }
  host.resolveModuleNameLiterals = (literals, containingFile, redirected, _options, source) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(source, literal, options)
      const from = (file: string): ts.ResolvedModuleWithFailedLookupLocations =>
        ts.resolveModuleName(literal.text, file, options, host, cache, redirected, mode)
      const found = from(containingFile)
      if (found.resolvedModule !== undefined || !modules.has(containingFile)) return found
      for (const directory of others) {
        const elsewhere = from(join(ROOT, directory, 'block.ts'))
        if (elsewhere.resolvedModule !== undefined) return elsewhere
      }
      return found
    })
  return host
}
