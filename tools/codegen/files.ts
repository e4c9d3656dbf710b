/** Generated files: compares the texts that a generator returns with the work tree, or writes them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The result of a generator. Paths start at the root of the repository. */
export interface Generated {
  /** File contents by path. */
  readonly files: ReadonlyMap<string, string>
  /** Folders that contain only generated files. A file in such a folder that is not in `files` is stale. */
  readonly folders?: readonly string[]
}

/** Returns the paths of the files that differ, are missing, or must be removed. */
export function staleFiles(root: string, { files, folders = [] }: Generated): string[] {
  const present = folders.flatMap((folder) =>
    filesBelow(join(root, folder)).map((file) => join(folder, file)),
  )
  return [...new Set([...files.keys(), ...present])].filter((path) => {
    const file = join(root, path)
    return !existsSync(file) || readFileSync(file, 'utf8') !== files.get(path)
  })
}

/** Writes the stale files, and removes files that are no longer generated. Returns their paths. */
export function writeStaleFiles(root: string, generated: Generated): string[] {
  const stale = staleFiles(root, generated)
  for (const path of stale) {
    const file = join(root, path)
    const text = generated.files.get(path)
    mkdirSync(dirname(file), { recursive: true })
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
  }
  return stale
}

/** Paths of all files below a folder, relative to it. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/**
 * Returns the document with `text` between two markers.
 *
 * @throws Error if a marker is missing.
 */
export function replaceSection(document: string, opening: string, closing: string, text: string): string {
  const start = document.indexOf(opening)
  const end = document.indexOf(closing, start)
  if (start === -1 || end === -1)
    throw new Error(`the document must have the markers ${opening} and ${closing}`)
  return `${document.slice(0, start)}${opening}\n\n${text}\n\n${document.slice(end)}`
}
