/** The dependency rule, held against what files import. */
import { SCOPE, type WorkspacePackage } from '../lib/workspace.ts'
import { ARROWS, SIMULATOR_IN_TESTS } from './arrows.ts'
import type { Edge, Graph } from './graph.ts'

const TEST_FILE = /\.test(-d)?\.ts$|\/src\/test\//

/** The package that a bare specifier names, or `undefined` for a path, a subpath import or a module of Node. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./#]|^(node|cloudflare):/.test(specifier)) return undefined
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** @returns What is wrong in the files of one package, one a line. */
export function importProblems(pkg: WorkspacePackage, graph: Graph): string[] {
  const source = `${pkg.directory}/src/`
  const problems: string[] = []
  for (const [file, edges] of graph) {
    if (!file.startsWith(source)) continue
    for (const edge of edges) {
      const problem = edgeProblem(pkg, file, edge)
      if (problem !== undefined) problems.push(`${file}: '${edge.specifier}': ${problem}`)
    }
  }
  return problems
}

function edgeProblem(pkg: WorkspacePackage, file: string, edge: Edge): string | undefined {
  const isTest = TEST_FILE.test(file)
  const name = packageOf(edge.specifier)
  if (edge.kind === 'unresolved' && !edge.specifier.startsWith('cloudflare:')) return 'cannot be resolved'
  if (name === undefined) {
    if (edge.kind !== 'file') return undefined
    if (!isTest && TEST_FILE.test(edge.to)) return 'published code imports a test'
    const inside = edge.to.startsWith(`${pkg.directory}/`)
    // Servers that several packages' tests start are helpers of the house, not of one package.
    const shared = isTest && /^(testdata|tools\/servers)\//.test(edge.to)
    return inside || shared ? undefined : 'a path that leaves the package'
  }
  const { dependencies, peerDependencies, devDependencies } = pkg.manifest
  const known = { ...dependencies, ...peerDependencies, ...(isTest ? devDependencies : {}) }
  if (name !== pkg.manifest.name && edge.kind === 'file' && !(name in known)) {
    return isTest ? 'is not in the manifest' : 'is neither a dependency nor a peer'
  }
  if (!name.startsWith(SCOPE) || name === pkg.manifest.name) return undefined
  const short = name.slice(SCOPE.length)
  const simulatorInTest = isTest && short === 'simulator' && SIMULATOR_IN_TESTS.includes(pkg.short)
  return ARROWS[pkg.short]?.uses.includes(short) || simulatorInTest ? undefined : 'no arrow allows it'
}
