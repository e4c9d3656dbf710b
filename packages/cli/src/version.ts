/** The version of this package. Its manifest is next to the sources, and next to `dist`. */
import { readFileSync } from 'node:fs'

/** Reads the version. */
export function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
