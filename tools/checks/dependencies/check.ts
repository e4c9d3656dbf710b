/**
 * `pnpm check dependencies`: manifests and imports agree with the table of dependencies, no file imports
 * itself through other files, and no edge entry reaches a module of Node. dependency-cruiser reads the files.
 */
import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { cruise, type IForbiddenRuleType } from 'dependency-cruiser'
import { allPackages, type Manifest, ROOT, SCOPE, sourceEntries } from '../../ci/lib/workspace.ts'
import type { CheckResult } from '../result.ts'
import { ARROWS, EDGE_CONDITIONS, EDGE_ENTRIES, TESTS_USE } from './arrows.ts'
import { LAYERS } from './layers.ts'

const TEST = '\\.test(-d)?\\.ts$|^packages/(testing/|[^/]+/(src/)?test/)'
const ANY = '^packages/([^/]+)/'
const PUBLISHED = { path: ANY, pathNot: TEST }
const OWN = ['^packages/$1/', 'node_modules']
/**
 * The file with the types of the messages from the simulator to its console. Only this file may be imported
 * by its path from another package.
 */
const WIRE = '^packages/simulator/src/console/wire\\.ts$'
/**
 * The allowed versions of dependencies from npm. Pinned versions are forbidden, because users would get the
 * fixes of a pinned dependency only with our next release. Our own packages are released together.
 */
const RANGE = /^(\^|catalog:published$)/
const isVersionAllowed = (name: string, version: string): boolean =>
  name.startsWith(SCOPE) ? version === 'workspace:*' : RANGE.test(version)

/** Imports that are forbidden in all files of packages. The check prints the names of these rules. */
const SOURCE_RULES: readonly IForbiddenRuleType[] = [
  { name: 'circular import', from: {}, to: { circular: true } },
  { name: 'unresolved import', from: {}, to: { couldNotResolve: true, pathNot: '^cloudflare:' } },
  { name: 'published code imports a test', from: PUBLISHED, to: { path: TEST, pathNot: 'node_modules' } },
  {
    name: 'path outside of the package',
    from: PUBLISHED,
    to: { dependencyTypes: ['local'], pathNot: [...OWN, WIRE] },
  },
  {
    name: 'path outside of the package',
    from: { path: `${ANY}.*(${TEST})` },
    to: { dependencyTypes: ['local'], pathNot: [...OWN, '^testdata/'] },
  },
  {
    name: 'neither a dependency nor a peer',
    from: PUBLISHED,
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer'] },
  },
  {
    name: 'not in package.json',
    from: { path: ANY },
    // dependency-cruiser reports an optional peer also as unknown, because of its row in
    // `peerDependenciesMeta`.
    to: {
      dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'npm-dev', 'npm-peer', 'npm-optional'],
    },
  },
  ...Object.entries(LAYERS).flatMap(([short, layers]) => upwardImports(short, layers)),
  ...Object.entries(ARROWS).flatMap(([short, { uses, tests = [] }]) => [
    notListed({ path: `^packages/${short}/`, pathNot: TEST }, [short, ...uses]),
    notListed({ path: `^packages/${short}/.*(${TEST})` }, [short, ...uses, ...tests, ...TESTS_USE]),
  ]),
]

/**
 * Creates one rule for each layer except the top one. The files of the layer must not import from a higher
 * layer of the package.
 */
function upwardImports(short: string, layers: readonly (readonly string[])[]): IForbiddenRuleType[] {
  const source = `^packages/${short}/src/`
  const paths = layers.map((names) => `${source}(${names.join('|').replaceAll('.', '\\.')})`)
  return paths.map((path, index) => ({
    name: 'import of a higher layer, see layers.ts',
    from: { path, pathNot: TEST },
    to: { path: source, pathNot: paths.slice(0, index + 1) },
  }))
}

function notListed(from: IForbiddenRuleType['from'], allowed: readonly string[]): IForbiddenRuleType {
  const pathNot = `^packages/(${allowed.join('|')})/`
  return {
    name: 'not listed in arrows.ts',
    from,
    to: { path: '^packages/', pathNot, dependencyTypesNot: ['local'] },
  }
}

/**
 * Checks the imports of the folders below `root`.
 *
 * @returns The violations, and the number of files.
 */
export async function sourceProblems(
  root: string,
  folders: readonly string[],
): Promise<{ readonly problems: string[]; readonly files: number }> {
  return await violations(root, folders, ['node', 'import', 'default'], SOURCE_RULES, {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  })
}

/**
 * Checks edge entries and everything that they import, including installed packages. Imports of types are
 * ignored.
 */
export async function edgeProblems(
  root: string,
  entries: readonly string[],
  conditions: readonly string[] = EDGE_CONDITIONS,
): Promise<string[]> {
  const rule = {
    name: 'module of Node on the edge',
    from: { path: `^(${entries.map((file) => file.replaceAll('.', '\\.')).join('|')})$` },
    to: { path: `^(node:)?(${builtinModules.join('|')})$`, reachable: true },
  }
  return (await violations(root, entries, conditions, [rule], {})).problems
}

async function violations(
  baseDir: string,
  entries: readonly string[],
  conditions: readonly string[],
  forbidden: readonly IForbiddenRuleType[],
  options: Parameters<typeof cruise>[1],
): Promise<{ readonly problems: string[]; readonly files: number }> {
  const { output } = await cruise([...entries], {
    ...options,
    baseDir,
    validate: true,
    ruleSet: { forbidden: [...forbidden] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: [`${SCOPE}source`, ...conditions],
    },
  })
  if (typeof output === 'string') throw new Error(output)
  const problems = output.summary.violations.map(({ from, to, rule, cycle, via }) => {
    const path = (cycle ?? via ?? [{ name: to }]).map(({ name }) => name)
    return `${rule.name}: ${[from, ...path].join(' -> ')}`
  })
  return { problems, files: output.modules.length }
}

/** @returns The problems of a manifest, one line each. */
export function manifestProblems(short: string, manifest: Manifest): string[] {
  const at = `${manifest.name}: package.json`
  const { uses, outside = [], tests = [] } = ARROWS[short] ?? {}
  if (uses === undefined) return [`${at}: the package has no row in arrows.ts`]
  const { dependencies = {}, peerDependencies, optionalDependencies, devDependencies = {} } = manifest
  const listed = [...uses.map((used) => SCOPE + used), ...outside]
  const inTests = [...uses, ...tests, ...TESTS_USE].map((used) => SCOPE + used)
  const published = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
  return [
    ...published
      .filter((name) => !listed.includes(name))
      .map((name) => `${at}: the dependency ${name} is not listed in arrows.ts`),
    ...Object.keys(devDependencies)
      .filter((name) => name.startsWith(SCOPE) && !inTests.includes(name))
      .map((name) => `${at}: the development dependency ${name} is not listed in arrows.ts`),
    ...Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name, version]) => manifest.private !== true && !isVersionAllowed(name, version))
      .map(
        ([name]) =>
          `${at}: the dependency ${name} must be "workspace:*" or a range, such as "catalog:published"`,
      ),
  ]
}

export async function check(): Promise<CheckResult> {
  const packages = allPackages()
  const problems = packages.flatMap(({ short, manifest }) => manifestProblems(short, manifest))
  const edgeFiles = EDGE_ENTRIES.flatMap(([short, subpath]) => {
    const pkg = packages.find((candidate) => candidate.short === short)
    const file = pkg && sourceEntries(pkg, EDGE_CONDITIONS).get(subpath)
    if (file !== undefined && existsSync(join(ROOT, file))) return [file]
    problems.push(`${SCOPE}${short} ${subpath}: this edge entry has no source`)
    return []
  })
  const folders = packages.flatMap(({ directory }) => [`${directory}/src`, `${directory}/test`])
  const sources = await sourceProblems(
    ROOT,
    folders.filter((folder) => existsSync(join(ROOT, folder))),
  )
  problems.push(...sources.problems, ...(await edgeProblems(ROOT, edgeFiles)))
  return {
    problems,
    checked: `${packages.length} packages, ${sources.files} files, ${edgeFiles.length} edge entries`,
  }
}
