/** The type of the secrets, in a file without types of a host: consumers compile it. */
import type { SecretInput } from '@brokerwire/core'

/** One secret, or several while a secret is replaced. Each is `whsec_` and the base64 form of 24 to 64 bytes. */
export type WebhookSecrets = SecretInput | readonly SecretInput[]
