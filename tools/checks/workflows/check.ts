/**
 * `pnpm check workflows`: the workflows and forms below `.github` are valid, and no workflow runs code of
 * other people with write permissions or secrets. GitHub's language service checks keys, events, expressions
 * and jobs. The YAML parser checks the other files.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@actions/languageservice'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parseDocument } from 'yaml'
import { trackedFiles } from '../../ci/lib/tracked.ts'
import { ROOT, readManifest } from '../../ci/lib/workspace.ts'
import type { CheckResult } from '../result.ts'

const PNPM = /^pnpm@[\d.]+/.exec(readManifest('.').packageManager ?? '')?.[0]

/** Forbidden text in the lines of a workflow. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^\s*(?:- )?run:.*\$\{\{/, 'an expression in a shell line: pass it in "env"'],
  [/\bpull_request_target\b|\bworkflow_run\b/, 'an event that runs the code of others with rights'],
  [/\bsecrets[.[]|NODE_AUTH_TOKEN|NPM_TOKEN/, 'a secret: publishing uses a trusted publisher'],
  [/^\s*registry-url:/, 'registry-url writes a placeholder token, which npm would use'],
  [/\buses: [^.\s]\S*@(?!v\d+$|[\da-f]{40}$)/, 'an action without a major version or a commit'],
]

/** @returns `file:line: problem`. */
export async function workflowProblems(file: string, text: string): Promise<string[]> {
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  const unreadable = [...document.errors, ...document.warnings].map(
    ({ linePos, message }) => `${file}:${linePos?.[0].line ?? 1}: ${message.split('\n')[0]}`,
  )
  if (unreadable.length > 0 || !file.startsWith('.github/workflows/')) return unreadable
  const found = await validate(TextDocument.create(`file:///${file}`, 'yaml', 1, text))
  const problems = found.map(({ range, message }) => `${file}:${range.start.line + 1}: ${message}`)
  for (const [index, line] of text.split('\n').entries()) {
    for (const [pattern, problem] of FORBIDDEN)
      if (pattern.test(line)) problems.push(`${file}:${index + 1}: ${problem}`)
    for (const [pnpm] of line.matchAll(/\bpnpm@[\d.]+/g))
      if (pnpm !== PNPM) problems.push(`${file}:${index + 1}: ${pnpm} must be ${PNPM}, as in package.json`)
  }
  const { permissions } = document.toJS() as { readonly permissions?: unknown }
  if (JSON.stringify(permissions) !== '{"contents":"read"}')
    problems.push(`${file}:1: permissions must be "contents: read"; a job may ask for more`)
  return problems
}

export async function check(): Promise<CheckResult> {
  const files = (await trackedFiles()).filter((file) => /^\.github\/.*\.ya?ml$/.test(file))
  const problems = await Promise.all(
    files.map((file) => workflowProblems(file, readFileSync(join(ROOT, file), 'utf8'))),
  )
  return { problems: problems.flat(), checked: `${files.length} files` }
}
