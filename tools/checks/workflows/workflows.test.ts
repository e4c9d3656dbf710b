/** What the workflows run, with which rights, and that the linter of the gate finds what is wrong. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { run } from '../../ci/lib/run.ts'
import { publicPackages, ROOT, readManifest } from '../../ci/lib/workspace.ts'
import { yamlFiles } from './files.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
interface Job {
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly steps?: readonly Step[]
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const files = await yamlFiles()
const workflow = (name: string): Workflow =>
  parse(readFileSync(join(ROOT, `.github/workflows/${name}.yml`), 'utf8')) as Workflow
const ALL = ['ci', 'release', 'weekly'].map((name) => [name, workflow(name)] as const)
const { scripts = {}, packageManager = '' } = readManifest('.')
const pnpm = packageManager.replace(/\+.*/, '')

const jobsOf = ({ jobs }: Workflow): readonly Job[] => Object.values(jobs)
const stepsOf = (jobs: readonly Job[]): readonly Step[] => jobs.flatMap(({ steps = [] }) => steps)
const everyStep = stepsOf(ALL.flatMap(([, all]) => jobsOf(all)))

test('every workflow is looked at here', () => {
  const names = files.filter(({ file }) => file.includes('/workflows/')).map(({ file }) => file)
  expect(names.sort()).toEqual(ALL.map(([name]) => `.github/workflows/${name}.yml`))
})

describe('the steps', () => {
  test('are scripts of the repository, installations, or git', () => {
    const lines = everyStep
      .flatMap(({ run: text, with: given }) => [text, given?.version])
      .filter((text): text is string => typeof text === 'string')
    expect(lines.length).toBeGreaterThan(10)
    const isKnown = (line: string): boolean => {
      const script = /^pnpm ([\w:]+)$/.exec(line)?.[1]
      if (script !== undefined) return Object.hasOwn(scripts, script)
      return (
        /^\.ci\/run(?: "\$SCRIPT")?$/.test(line) ||
        line === 'pnpm install --frozen-lockfile' ||
        /^npm install --global (?:npm@\d+\.\d+\.\d+ )?pnpm@\d+\.\d+\.\d+$/.test(line) ||
        /^git (?:config|branch|push) /.test(line)
      )
    }
    expect(lines.filter((line) => !isKnown(line))).toEqual([])
  })

  test('put nothing that others wrote into a line of the shell', () => {
    expect(everyStep.filter(({ run: text = '' }) => text.includes('${{'))).toEqual([])
  })

  test('install the pnpm that the manifest names', () => {
    const installed = everyStep.flatMap(({ run: text = '' }) => text.match(/pnpm@[\d.]+/g) ?? [])
    expect(installed.length).toBeGreaterThan(1)
    expect(new Set(installed)).toEqual(new Set([pnpm]))
  })

  test('use actions by a major version or a commit', () => {
    const uses = everyStep.flatMap((step) => step.uses ?? [])
    expect(uses.length).toBeGreaterThan(5)
    expect(uses.filter((name) => !/^[\w-]+\/[\w-]+@(?:v\d+|[\da-f]{40})$/.test(name))).toEqual([])
  })
})

describe('rights', () => {
  test.each(ALL)(
    '%s: reading is all that a job may do by default, and no event brings a stranger’s code rights',
    (_, all) => {
      expect(all.permissions).toEqual({ contents: 'read' })
      expect(Object.keys(all.on)).not.toContain('pull_request_target')
      expect(Object.keys(all.on)).not.toContain('workflow_run')
    },
  )

  test('no workflow reads a secret', () => {
    expect(files.filter(({ text }) => /\bsecrets[.[]|NODE_AUTH_TOKEN|NPM_TOKEN/.test(text))).toEqual([])
  })

  test('one job may ask for the right to publish, and runs no action but those of the host’s maker', () => {
    const asking = ALL.flatMap(([name, { jobs }]) =>
      Object.entries(jobs).flatMap(([job, { permissions }]) =>
        permissions?.['id-token'] === undefined ? [] : [`${name}/${job}`],
      ),
    )
    expect(asking).toEqual(['release/publish'])
    const uses = stepsOf([workflow('release').jobs.publish ?? {}]).flatMap((step) => step.uses ?? [])
    expect(uses.length).toBeGreaterThan(1)
    expect(uses.filter((name) => !name.startsWith('actions/'))).toEqual([])
  })
})

describe('publishing', () => {
  const steps = stepsOf([workflow('release').jobs.publish ?? {}])

  test('runs on a Node and an npm that can use a trusted publisher', () => {
    const setup = steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))
    expect(Number(setup?.with?.['node-version'])).toBeGreaterThanOrEqual(24)
    const npm = steps
      .flatMap(({ run: text = '' }) => / npm@(\d+)\.(\d+)\.(\d+) /.exec(text)?.slice(1) ?? [])
      .map(Number)
    // 11.5.1 is the first that can; changesets 2 does not get along with 12.
    expect(npm[0]).toBe(11)
    expect(npm[1]).toBeGreaterThan(5)
  })

  test('names no registry to setup-node, because its placeholder of a token would be used', () => {
    expect(everyStep.filter((step) => step.with?.['registry-url'] !== undefined)).toEqual([])
  })

  test('builds first', () => {
    const lines = steps.flatMap(({ run: text }) => text ?? [])
    expect(lines).toContain('pnpm build')
    expect(lines.indexOf('pnpm release:publish')).toBeGreaterThan(lines.indexOf('pnpm build'))
  })
})

test('CI runs on the oldest Node that every package supports, and on later ones', () => {
  const nodes = workflow('ci').jobs.gates?.strategy?.matrix.node ?? []
  expect(nodes.length).toBeGreaterThan(3)
  const engines = publicPackages().map(
    ({ manifest }) => (manifest as { readonly engines?: { readonly node?: string } }).engines?.node,
  )
  expect(new Set(engines)).toEqual(new Set([`>=${nodes[0]}`]))
})

test('weekly, everything runs in full that has a short form or is no gate', () => {
  const weekly = workflow('weekly').jobs.long?.strategy?.matrix.script ?? []
  const full = Object.keys(scripts)
    .filter((name) => name.endsWith(':short'))
    .map((name) => name.replace(/:short$/, ''))
  expect(full.length).toBeGreaterThan(5)
  expect([...weekly].sort()).toEqual(
    [...new Set([...full, 'release:rehearse', 'test:fuzz', 'test:mutation'])].sort(),
  )
  expect(weekly.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

describe('a form', () => {
  const forms = files.filter(({ file }) => file.includes('/ISSUE_TEMPLATE/') && !file.endsWith('/config.yml'))
  type Field = {
    readonly type: string
    readonly id?: string
    readonly attributes: Readonly<Record<string, unknown>>
  }

  test.each(forms)(
    '$file has a name, a description, and fields with labels and ids of their own',
    ({ text }) => {
      const form = parse(text) as Readonly<Record<string, unknown>> & { readonly body: readonly Field[] }
      expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
      const fields = form.body.filter(({ type }) => type !== 'markdown')
      expect(fields.length).toBeGreaterThan(0)
      expect(
        form.body.map(({ type }) => type).filter((type) => !/^(?:markdown|input|textarea)$/.test(type)),
      ).toEqual([])
      for (const { attributes } of fields) expect(attributes.label).toEqual(expect.any(String))
      expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
      expect(fields.filter(({ id = '' }) => !/^[\w-]+$/.test(id))).toEqual([])
    },
  )
})

describe('the linter', () => {
  async function lintOf(
    name: string,
    text: string,
  ): Promise<{ readonly status: number; readonly output: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'brokerwire-workflows-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    mkdirSync(join(folder, '.github/workflows'), { recursive: true })
    const file = join(folder, '.github', name)
    writeFileSync(file, text)
    return await run('tsx', ['tools/checks/workflows/check.ts', file])
  }
  const GOOD = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ls\n'

  test('takes a workflow that is right', async () => {
    expect(await lintOf('workflows/a.yml', GOOD)).toMatchObject({ status: 0 })
  })

  test('names a key, a job and a context that do not exist, each with its line', async () => {
    const bad = `${GOOD}        ru: x\n  b:\n    needs: c\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo \${{ githb.ref }}\n`
    const { status, output } = await lintOf('workflows/a.yml', bad)
    expect(status).toBe(1)
    expect(output).toMatch(/a\.yml:7: .*'ru'/)
    expect(output).toMatch(/a\.yml:9: .*'c'/)
    expect(output).toMatch(/a\.yml:12: .*'githb'/)
  })

  test('names a key that stands twice, also outside of workflows', async () => {
    expect(await lintOf('renovate.yml', 'a: 1\na: 2\n')).toMatchObject({ status: 1 })
  })
})
