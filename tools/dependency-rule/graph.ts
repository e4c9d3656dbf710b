/** Files and what they import, and two questions about such a graph: is there a circle, what is reached? */
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import { SCOPE } from '../lib/workspace.ts'

/** One import. */
export interface Edge {
  /** As it is written. */
  readonly specifier: string
  /** The file from the root, or the name of a module of Node. */
  readonly to: string
  readonly kind: 'file' | 'node' | 'unresolved'
}

/** Imports by importing file, files named from the root. */
export type Graph = ReadonlyMap<string, readonly Edge[]>

/** Options of {@link readGraph}. */
export interface GraphOptions {
  readonly root: string
  /** Conditions of `exports` and `imports`, in addition to the toolkit's own for sources. */
  readonly conditions: readonly string[]
  /** Whether imports count that are gone after compilation. */
  readonly types: boolean
  /** Whether installed packages are read too. */
  readonly installed: boolean
}

/** Reads the imports of `entries` (files or folders) and of everything that they reach. */
export async function readGraph(entries: readonly string[], options: GraphOptions): Promise<Graph> {
  const cruiseOptions: ICruiseOptions = {
    baseDir: options.root,
    tsPreCompilationDeps: options.types,
    ...(options.installed ? {} : { doNotFollow: { path: 'node_modules' } }),
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: [`${SCOPE}source`, ...options.conditions],
    },
  }
  const { output } = await cruise([...entries], cruiseOptions)
  if (typeof output === 'string') throw new Error(output)
  return toGraph(output)
}

function toGraph(result: ICruiseResult): Graph {
  const graph = new Map<string, Edge[]>()
  for (const { source, dependencies, coreModule, couldNotResolve } of result.modules) {
    if (coreModule || couldNotResolve) continue
    graph.set(
      source,
      dependencies.map(({ module, resolved, coreModule: node, couldNotResolve: lost }) => ({
        specifier: module,
        to: resolved,
        kind: node ? 'node' : lost ? 'unresolved' : 'file',
      })),
    )
  }
  return graph
}

/** The circles in a graph, each once, as the files in the order in which they import each other. */
export function circles(graph: Graph): string[][] {
  const found: string[][] = []
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file])
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const edge of graph.get(file) ?? []) if (edge.kind === 'file') visit(edge.to)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of graph.keys()) visit(file)
  return found
}

/** The shortest way from `start` to each import that `wanted` accepts, as the files passed and the import. */
export function waysTo(graph: Graph, start: string, wanted: (edge: Edge) => boolean): string[][] {
  const ways: string[][] = []
  const seen = new Set([start])
  const queue: string[][] = [[start]]
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    for (const edge of graph.get(way[way.length - 1] ?? '') ?? []) {
      if (wanted(edge)) ways.push([...way, edge.specifier])
      else if (edge.kind === 'file' && !seen.has(edge.to)) {
        seen.add(edge.to)
        queue.push([...way, edge.to])
      }
    }
  }
  return ways
}
