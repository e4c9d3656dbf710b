/** The version of this package, from its manifest: one place to keep it, beside the sources and beside `dist`. */
import { readFileSync } from 'node:fs'

/** Reads it. */
export function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
