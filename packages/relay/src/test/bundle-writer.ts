/** Bundles the process that writes a stream of files. */
import { bundleProgram } from '@brokerwire/testing/bundle-program'

export const bundleWriter = (outfile: string): Promise<void> =>
  bundleProgram(new URL('file-writer.ts', import.meta.url), outfile)
