/**
 * The reports, of the declarations that were built, by one program of the compiler. Warnings stand in the reports, without
 * the lines where they were found: those move with everything that is written above them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { ApiEntry } from './entries.ts'

const IN_REPORT = { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true }
const SILENT = { logLevel: ExtractorLogLevel.None }

/**
 * The text of each entry's report, by its file's name.
 *
 * @throws An error with what the extractor said where an entry cannot be read.
 */
export function extractReports(entries: readonly ApiEntry[]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-api-'))
  try {
    const configs = entries.map((entry) => configOf(entry, folder))
    const [first] = configs
    if (first === undefined) return new Map()
    const additionalEntryPoints = entries.map(({ types }) => join(ROOT, types))
    const compilerState = CompilerState.create(first, { additionalEntryPoints })
    return new Map(
      entries.map(({ name, report }, index) => {
        invoke(name, configs[index] ?? first, compilerState)
        return [report, reportText(name, readFileSync(join(folder, report), 'utf8'))]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What stands in git of what the extractor wrote. */
export function reportText(name: string, written: string): string {
  return written
    .replace(/^## API Report File for ".*"$/m, `## API report of ${name}`)
    .replace(/^(\/\/ \S+\.ts):\d+:\d+ - /gm, '$1 - ')
}

function invoke(name: string, config: ExtractorConfig, compilerState: CompilerState): void {
  const said: string[] = []
  const { errorCount } = Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error) said.push(message.text)
      message.handled = true
    },
  })
  if (errorCount > 0 || said.length > 0) throw new Error(`${name}: ${said.join('; ')}`)
}

function configOf({ pkg, types, report }: ApiEntry, folder: string): ExtractorConfig {
  const projectFolder = join(ROOT, pkg.directory)
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, 'package.json'),
    configObject: {
      projectFolder,
      mainEntryPointFilePath: join(ROOT, types),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'ES2022',
            lib: ['ES2022', 'ESNext.Disposable', 'DOM'],
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
            // Without both, a type of Node that is mentioned cannot be followed.
            types: ['node'],
            typeRoots: [join(ROOT, 'tools/node_modules/@types')],
          },
          files: [join(ROOT, types)],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: folder,
        reportTempFolder: join(folder, 'compared'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: IN_REPORT },
        tsdocMessageReporting: {
          default: IN_REPORT,
          // The generated code says `@generated` of each name.
          'tsdoc-undefined-tag': SILENT,
        },
        extractorMessageReporting: {
          default: IN_REPORT,
          // Every exported name is public: what is not is left out of the declarations.
          'ae-missing-release-tag': SILENT,
          // The report says it in its place.
          'ae-undocumented': SILENT,
        },
      },
    },
  })
}
