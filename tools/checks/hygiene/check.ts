/**
 * `pnpm check hygiene`: the files of the repository contain no secrets, no paths of one machine and no
 * registry addresses. secretlintrc.json has the rules.
 *
 * - A pattern has brackets around one letter, so that it does not match itself.
 * - The pattern for private keys finds shorter keys than secretlint's own rule.
 * - Invented credentials in tests use a domain that is reserved for examples.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lintSource } from '@secretlint/core'
import { secretLintProfiler } from '@secretlint/profiler'
import { creator as pattern } from '@secretlint/secretlint-rule-pattern'
import { creator as recommended } from '@secretlint/secretlint-rule-preset-recommend'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { CheckResult } from '../result.ts'
import config from './secretlintrc.json' with { type: 'json' }

type Rules = Parameters<typeof lintSource>[0]['options']['config']['rules']
const creators = [recommended, pattern]
const rules = config.rules.map((options, index) => ({ ...options, rule: creators[index] })) as Rules

// Disables the profiler of secretlint, because it compares each mark with all earlier ones. For the files of
// this repository, that takes 17 s of CPU time.
secretLintProfiler.mark = () => undefined

/**
 * @returns `file:line: name of the rule or pattern`, without the text that was found, which may be a secret.
 */
export async function hygieneProblems(file: string, content: string): Promise<string[]> {
  const source = { filePath: join(ROOT, file), content, contentType: 'text' } as const
  const { messages } = await lintSource({
    source,
    options: { config: { rules }, noPhysicFilePath: true },
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
