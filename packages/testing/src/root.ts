/** The root of the repository. */
import { fileURLToPath } from 'node:url'

/** Absolute path with a slash at its end. */
export const ROOT: string = fileURLToPath(new URL('../../..', import.meta.url))
