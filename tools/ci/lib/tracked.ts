/** The files of the repository: files that git tracks, and new files that git does not ignore. */
import { runOrThrow } from './run.ts'

/** @returns Paths from the root. */
export async function trackedFiles(): Promise<string[]> {
  const listing = await runOrThrow('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  return listing.split('\0').filter((file) => file !== '')
}
