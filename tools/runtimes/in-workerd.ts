/** Runs a bundled Worker in workerd. */
import { type BuildOptions, build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { EDGE_CONDITIONS } from '../checks/dependencies/arrows.ts'

/** A Worker that is running. */
export interface Worker {
  fetch(): Promise<{ readonly ok: boolean; readonly status: number; text(): Promise<string> }>
  /**
   * Sends a request.
   *
   * @returns The JSON of the response.
   * @throws An error if the status is not 2xx.
   */
  ask(): Promise<unknown>
  close(): Promise<void>
}

/** Starts a bundled Worker. */
export function startWorker(
  script: string,
  compatibilityFlags: readonly string[] = [],
  bindings: Readonly<Record<string, string>> = {},
): Worker {
  const miniflare = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-01-01',
    compatibilityFlags: [...compatibilityFlags],
    bindings,
  })
  const fetch = () => miniflare.dispatchFetch('http://worker.example/')
  return {
    fetch,
    async ask() {
      const response = await fetch()
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return JSON.parse(text)
    },
    close: () => miniflare.dispose(),
  }
}

/** Bundles a Worker from the sources of the workspace. */
export async function bundleWorker(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['@brokerwire/source', ...EDGE_CONDITIONS],
    external: ['cloudflare:*'],
  })
  return outputFiles[0]?.text ?? ''
}
