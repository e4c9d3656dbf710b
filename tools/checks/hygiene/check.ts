/** `pnpm check hygiene`: no secrets, no paths of one machine and no registry addresses in the repository's files. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lintSource } from '@secretlint/core'
import { secretLintProfiler } from '@secretlint/profiler'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { CheckResult } from '../result.ts'
import { RULES } from './rules.ts'

// Each of its marks searches all earlier ones: 17 s of CPU for the files of this repository.
secretLintProfiler.mark = () => undefined

/** @returns `file:line: name of the rule or pattern`; the text itself may be a secret. */
export async function hygieneProblems(file: string, content: string): Promise<string[]> {
  const source = { filePath: join(ROOT, file), content, contentType: 'text' } as const
  const { messages } = await lintSource({
    source,
    options: { config: { rules: RULES }, noPhysicFilePath: true },
  })
  return messages.map(({ loc, data, messageId, ruleId }) => {
    const { PATTERN_NAME = `${ruleId} ${messageId}` } = (data ?? {}) as { readonly PATTERN_NAME?: string }
    return `${file}:${loc.start.line}: ${PATTERN_NAME}`
  })
}

export async function check(): Promise<CheckResult> {
  const problems: string[] = []
  let files = 0
  for (const file of await trackedFiles()) {
    if (!statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) continue
    problems.push(...(await hygieneProblems(file, readFileSync(join(ROOT, file), 'utf8'))))
    files += 1
  }
  return { problems, checked: `${files} files` }
}
