/** Creates reports from the built declarations with API Extractor, in one program of the compiler. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { ApiEntry, Reports } from './reports.ts'

/** @throws An error with API Extractor's messages if it cannot read an entry. */
export function extractReports(entries: readonly ApiEntry[]): Reports {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-api-'))
  try {
    const configs = entries.map((entry) => configOf(entry, folder))
    const additionalEntryPoints = entries.map(({ types }) => join(ROOT, types))
    const compilerState = configs[0] && CompilerState.create(configs[0], { additionalEntryPoints })
    return new Map(
      configs.map((config, index) => {
        const { name = '', report = '' } = entries[index] ?? {}
        const errors: string[] = []
        Extractor.invoke(config, {
          ...(compilerState && { compilerState }),
          localBuild: true,
          messageCallback(message) {
            if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.text)
            message.handled = true
          },
        })
        if (errors.length > 0) throw new Error(`${name}: ${errors.join('; ')}`)
        return [report, reportText(name, readFileSync(join(folder, report), 'utf8'))]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the text of a report without the line numbers of warnings, because these numbers change with every
 * line that is added above.
 */
export function reportText(name: string, written: string): string {
  return written
    .replace(/^## API Report File for ".*"$/m, `## API report of ${name}`)
    .replace(/^(\/\/ \S+\.ts):\d+:\d+ - /gm, '$1 - ')
}

function configOf({ pkg, types, report }: ApiEntry, folder: string): ExtractorConfig {
  const configObject = ExtractorConfig.loadFile(join(import.meta.dirname, 'api-extractor.json'))
  const projectFolder = join(ROOT, pkg.directory)
  configObject.projectFolder = projectFolder
  configObject.mainEntryPointFilePath = join(ROOT, types)
  Object.assign(configObject.apiReport ?? {}, {
    reportFileName: report,
    reportFolder: folder,
    reportTempFolder: join(folder, 'compared'),
  })
  Object.assign(configObject.compiler?.overrideTsconfig ?? {}, { files: [join(ROOT, types)] })
  return ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(projectFolder, 'package.json'),
  })
}
