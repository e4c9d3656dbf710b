/** The repository's own files: what git tracks, and what it would if it were added. */
import { runOrThrow } from './run.ts'

/** @returns Paths from the root. */
export async function trackedFiles(): Promise<string[]> {
  const listing = await runOrThrow('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  return listing.split('\0').filter((file) => file !== '')
}
