/** The project's rules for workflows: pinned actions, and permissions. */
import { parse } from 'yaml'
import { readManifest } from '../../ci/lib/workspace.ts'

const PNPM = /^pnpm@[\d.]+/.exec(readManifest('.').packageManager ?? '')?.[0]

/** Forbidden text in the lines of a workflow. */
const FORBIDDEN: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^\s*(?:- )?run:.*\$\{\{/, 'an expression in a shell line: pass it in "env"'],
  [/\bpull_request_target\b|\bworkflow_run\b/, 'an event that runs the code of others with rights'],
  [/\bsecrets[.[]|NODE_AUTH_TOKEN|NPM_TOKEN/, 'a secret: publishing uses a trusted publisher'],
  [/^\s*registry-url:/, 'registry-url writes a placeholder token, which npm would use'],
  [
    /\buses: (?!\.\/|\S+@[\da-f]{40} # v\d+\.\d+\.\d+$)/,
    'an action must be pinned: OWNER/NAME@COMMIT # vN.N.N, with all 40 digits of the commit',
  ],
]

/** Actions that may run in a job that can publish. They run no code of the repository. */
const PUBLISHING_ACTIONS = /^actions\/(?:download-artifact|setup-node)@/
/** All shell lines of such a job: it verifies the digests of the tarballs, and publishes them. */
const PUBLISHING_LINES = new Set([
  'echo "$DIGESTS" | sha512sum --check --strict',
  'for file in $(echo "$DIGESTS" | awk \'/\\.tgz$/ { print $2 }\'); do',
  'npm publish --provenance --access public --ignore-scripts "./$file"',
  'done',
])

interface Job {
  readonly permissions?: string | Readonly<Record<string, string>>
  readonly uses?: string
  readonly container?: unknown
  readonly steps?: readonly {
    readonly uses?: string
    readonly run?: string
    readonly with?: Readonly<Record<string, unknown>>
  }[]
}

/** @returns The problems of one job. */
function jobProblems({ permissions = {}, uses, container, steps = [] }: Job): string[] {
  const problems = []
  for (const step of steps)
    if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
      problems.push('a checkout must have "persist-credentials: false"')
  if (typeof permissions === 'string') problems.push(`permissions must be listed; received "${permissions}"`)
  else if (permissions['id-token'] !== undefined) {
    if (Object.keys(permissions).length > 1) problems.push('id-token must be the only permission of its job')
    if (uses !== undefined || container !== undefined)
      problems.push('a job with id-token must have only its own steps, without a container')
    for (const step of steps) {
      if (step.uses !== undefined && !PUBLISHING_ACTIONS.test(step.uses))
        problems.push(`a job with id-token must not run ${step.uses}`)
      for (const line of step.run?.trim().split(/\s*\n\s*/) ?? [])
        if (!PUBLISHING_LINES.has(line))
          problems.push(`a job with id-token must only verify and publish; it runs "${line}"`)
    }
  }
  return problems
}

/** @returns The problems of a workflow that the language service does not know: `file:line: problem`. */
export function ruleProblems(file: string, text: string): string[] {
  const problems = []
  for (const [index, line] of text.split('\n').entries()) {
    for (const [pattern, problem] of FORBIDDEN)
      if (pattern.test(line)) problems.push(`${file}:${index + 1}: ${problem}`)
    for (const [pnpm] of line.matchAll(/\bpnpm@[\d.]+/g))
      if (pnpm !== PNPM) problems.push(`${file}:${index + 1}: ${pnpm} must be ${PNPM}, as in package.json`)
  }
  const { permissions, jobs = {} } = parse(text) as {
    readonly permissions?: unknown
    readonly jobs?: Readonly<Record<string, Job>>
  }
  if (JSON.stringify(permissions) !== '{"contents":"read"}')
    problems.push(`${file}:1: permissions must be "contents: read"; a job may ask for more`)
  for (const [name, job] of Object.entries(jobs))
    problems.push(...jobProblems(job).map((problem) => `${file}: job ${name}: ${problem}`))
  return problems
}
