/** The dependency rule as rules of dependency-cruiser, which reads the files, and what they found. */
import { builtinModules } from 'node:module'
import { cruise, type IForbiddenRuleType, type IViolation } from 'dependency-cruiser'
import { SCOPE } from '../../ci/lib/workspace.ts'
import { type Arrow, SIMULATOR_IN_TESTS } from './arrows.ts'

const TEST = '\\.test(-d)?\\.ts$|/src/test/'

/** Data, servers and helpers that several packages' tests share: of the house, not of one package. */
const SHARED = ['^testdata/', '^packages/testing/src/', '^packages/testing/src/']

/** What the simulator tells its console, as types: the page takes them where they are, and nothing else. */
const WIRE = '^packages/simulator/src/console/wire\\.ts$'

/** What any file of a package may not import. The names are what is reported. */
export function sourceRules(arrows: Readonly<Record<string, Arrow>>): IForbiddenRuleType[] {
  const anywhere = '^packages/([^/]+)/src/'
  const published = { path: anywhere, pathNot: TEST }
  const outside = ['^packages/$1/', 'node_modules']
  return [
    { name: 'a circle', from: {}, to: { circular: true } },
    { name: 'cannot be resolved', from: {}, to: { couldNotResolve: true, pathNot: '^cloudflare:' } },
    { name: 'published code imports a test', from: published, to: { path: TEST, pathNot: 'node_modules' } },
    {
      name: 'a path that leaves the package',
      from: published,
      to: { dependencyTypes: ['local'], pathNot: [...outside, WIRE] },
    },
    {
      name: 'a path that leaves the package',
      from: { path: `${anywhere}.*(${TEST})` },
      to: { dependencyTypes: ['local'], pathNot: [...outside, ...SHARED] },
    },
    {
      name: 'is neither a dependency nor a peer',
      from: published,
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer'] },
    },
    {
      name: 'is not in the manifest',
      from: { path: anywhere },
      // An optional peer is of no known kind besides, for its row in `peerDependenciesMeta`.
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-dev', 'npm-peer', 'npm-optional'],
      },
    },
    ...Object.entries(arrows).flatMap(([short, { uses }]) => {
      const inTests = SIMULATOR_IN_TESTS.includes(short) ? ['simulator'] : []
      const arrow = (from: IForbiddenRuleType['from'], allowed: readonly string[]): IForbiddenRuleType => ({
        name: 'no arrow allows it',
        from,
        to: {
          path: '^packages/',
          pathNot: `^packages/(${[short, ...allowed].join('|')})/`,
          dependencyTypesNot: ['local'],
        },
      })
      const source = `^packages/${short}/src/`
      return [
        arrow({ path: source, pathNot: TEST }, uses),
        arrow({ path: `${source}.*(${TEST})` }, [...uses, ...inTests]),
      ]
    }),
  ]
}

/** Nothing that an entry point of the edge reaches is a module of Node. */
export function edgeRules(entries: readonly string[]): IForbiddenRuleType[] {
  return [
    {
      name: 'a module of Node on the edge',
      from: { path: `^(${entries.map((file) => file.replaceAll('.', '\\.')).join('|')})$` },
      to: { path: `^(node:)?(${builtinModules.join('|')})$`, reachable: true },
    },
  ]
}

/** Options of {@link findViolations}. */
export interface CruiseOptions {
  readonly root: string
  /** Conditions of `exports` and `imports`, in addition to the toolkit's own for sources. */
  readonly conditions: readonly string[]
  /** Whether imports count that are gone after compilation. */
  readonly types: boolean
  /** Whether installed packages are read too. */
  readonly installed: boolean
}

/**
 * Reads `entries` (files or folders, from the root) and everything that they reach.
 *
 * @returns What breaks a rule, one a line, and how many files were read.
 */
export async function findViolations(
  entries: readonly string[],
  rules: readonly IForbiddenRuleType[],
  { root, conditions, types, installed }: CruiseOptions,
): Promise<{ readonly problems: string[]; readonly files: number }> {
  const { output } = await cruise([...entries], {
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...rules] },
    tsPreCompilationDeps: types,
    ...(installed ? {} : { doNotFollow: { path: 'node_modules' } }),
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: [`${SCOPE}source`, ...conditions],
    },
  })
  if (typeof output === 'string') throw new Error(output)
  return { problems: output.summary.violations.map(lineOf), files: output.modules.length }
}

function lineOf({ from, to, rule, cycle, via }: IViolation): string {
  const way = (cycle ?? via ?? [{ name: to }]).map(({ name }) => name)
  return `${rule.name}: ${[from, ...way].join(' -> ')}`
}
