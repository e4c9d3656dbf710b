/** All kinds, in the order in which they run. */
import type { Kind } from './kind.ts'
import { fileStore } from './kinds/file-store.ts'
import { http } from './kinds/http.ts'
import { http2 } from './kinds/http2.ts'
import { partitions } from './kinds/partitions.ts'
import { quotes } from './kinds/quotes.ts'
import { signer } from './kinds/signer.ts'
import { streamContents } from './kinds/stream-contents.ts'
import { verifier } from './kinds/verifier.ts'

export const KINDS: readonly Kind[] = [
  verifier,
  signer,
  http,
  http2,
  fileStore,
  partitions,
  streamContents,
  quotes,
]
