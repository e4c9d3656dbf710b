/** All kinds, in the order in which they run. */
import type { Kind } from './kind.ts'
import { http } from './kinds/http.ts'
import { signer } from './kinds/signer.ts'
import { verifier } from './kinds/verifier.ts'

export const KINDS: readonly Kind[] = [verifier, signer, http]
