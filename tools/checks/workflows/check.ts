/**
 * `pnpm check workflows`: the workflows and forms below `.github` are valid, and no workflow runs code of
 * other people with secrets or with the permission to publish. GitHub's language service checks keys, events,
 * expressions and jobs. The YAML parser checks the other files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@actions/languageservice'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parseDocument } from 'yaml'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import type { CheckResult } from '../result.ts'
import { ruleProblems } from './rules.ts'

/** @returns `file:line: problem`. */
async function workflowProblems(file: string, text: string): Promise<string[]> {
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  const unreadable = [...document.errors, ...document.warnings].map(
    ({ linePos, message }) => `${file}:${linePos?.[0].line ?? 1}: ${message.split('\n')[0]}`,
  )
  if (unreadable.length > 0 || !file.startsWith('.github/workflows/')) return unreadable
  const found = await validate(TextDocument.create(`file:///${file}`, 'yaml', 1, text))
  return [
    ...found.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`),
    ...ruleProblems(file, text),
  ]
}

export async function check(): Promise<CheckResult> {
  const files = (await trackedFiles()).filter((file) => /^\.github\/.*\.ya?ml$/.test(file))
  const problems = await Promise.all(
    files.map((file) => workflowProblems(file, readFileSync(join(ROOT, file), 'utf8'))),
  )
  return { problems: problems.flat(), checked: `${files.length} files` }
}
