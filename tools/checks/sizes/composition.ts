/**
 * What a bundle is made of, from the sources: by part in minified bytes, and by module in gzipped ones as well.
 *
 * A module's gzipped bytes are those that the bundle would lose with it: what it says in words that others say too costs
 * little. Their sum is less than the bundle for that reason.
 */
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'
import { bundled } from './bundled.ts'
import type { Limit } from './limits.ts'

export const gzipped = (text: string | Uint8Array): number => gzipSync(text, { level: 9 }).length

/** What a part of a bundle is called: its package, and the folder or the group of files in it. */
function partOf(source: string): string {
  const [, pkg = '', file = ''] = /^packages\/(\w+)\/src\/(.*)\.ts$/.exec(source) ?? []
  if (file.startsWith('redactor')) return `${pkg}: redactor`
  const [folder, ...below] = file.split('/')
  return below.length === 0 ? pkg : `${pkg}: ${folder}`
}

const column = (bytes: number): string => String(bytes).padStart(8)

/** Minified bytes of a bundle by part, the largest first. */
export async function partsOf(limit: Limit): Promise<string[]> {
  const { metafile } = await bundled(limit, { sources: true })
  const parts = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [source, { bytesInOutput }] of Object.entries(inputs)) {
      const part = partOf(source)
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput)
    }
  return [...parts]
    .filter(([, bytes]) => bytes > 0)
    .sort(([, left], [, right]) => right - left)
    .map(([part, bytes]) => `${column(bytes)}  ${part}`)
}

/** The minified text of each module of a bundle, in the bundle's order. */
async function textsOf(limit: Limit): Promise<ReadonlyMap<string, string>> {
  // With its white space a bundle says where each module begins.
  const { metafile, outputFiles } = await bundled(limit, { sources: true, whiteSpace: true })
  const [code = ''] = (outputFiles[0]?.text ?? '').split(/^export \{/m)
  const [, ...pieces] = code.split(/^\/\/ (.*)\n/m)
  const texts = new Map<string, string>()
  for (let at = 0; at < pieces.length; at += 2) {
    const [source = '', text = ''] = pieces.slice(at)
    if (!(source in metafile.inputs)) throw new Error(`a comment that names no module: ${source}`)
    const { code: minified } = await transform(text, { minifyWhitespace: true, target: 'es2022' })
    texts.set(source, minified)
  }
  return texts
}

/** Gzipped and minified bytes of a bundle by module, the largest first, and of the whole. */
export async function modulesOf(limit: Limit): Promise<string[]> {
  const texts = await textsOf(limit)
  const wholeWithout = (left?: string): string =>
    [...texts].map(([source, text]) => (source === left ? '' : text)).join('')
  const whole = wholeWithout()
  const all = gzipped(whole)
  const rows = [...texts].map(([source, text]): [number, number, string] => [
    all - gzipped(wholeWithout(source)),
    text.length,
    source,
  ])
  rows.sort(([left], [right]) => right - left)
  return [[all, whole.length, 'all, from the sources'] as const, ...rows].map(
    ([gzip, minified, source]) => `${column(gzip)}${column(minified)}  ${source}`,
  )
}
