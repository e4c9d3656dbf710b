/**
 * What the transport takes from `node:net` and `node:tls`, as structures of its own: a program that calls it compiles
 * without the types of Node, and a type test proves that Node's values fit.
 */

/** A connection, as Node's `Duplex`, `Socket` and `TLSSocket` are one. */
export interface DuplexLike {
  readonly readable: boolean
  readonly writable: boolean
  on(event: string, listener: (...values: never[]) => void): unknown
  destroy(error?: Error): unknown
}

/** PEM texts or DER bytes: one, or several. */
type Bytes = string | Uint8Array
type Material = Bytes | readonly Bytes[]
/** The same, some of them under a passphrase. */
type Locked<Name extends string> =
  | Bytes
  | readonly (Bytes | ({ readonly [Key in Name]: Bytes } & { readonly passphrase?: string | undefined }))[]

/** The options of `node:tls`' `connect` that a client of a service needs. Node's own `ConnectionOptions` fit. */
export interface TlsOptions {
  /** Authorities to trust instead of Node's. */
  readonly ca?: Material | undefined
  /** Certificate of the client. */
  readonly cert?: Material | undefined
  /** Private key of the client. */
  readonly key?: Locked<'pem'> | undefined
  /** Certificate and key as PKCS #12. */
  readonly pfx?: Locked<'buf'> | undefined
  readonly passphrase?: string | undefined
  /** The name in the certificate. @defaultValue the address's host */
  readonly servername?: string | undefined
  /** Never switch it off outside of a test. @defaultValue true */
  readonly rejectUnauthorized?: boolean | undefined
  /** An error refuses the server's certificate. `certificate` is Node's `PeerCertificate`. */
  readonly checkServerIdentity?:
    | { check(hostname: string, certificate: object): Error | undefined }['check']
    | undefined
  readonly minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined
  readonly maxVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3' | undefined
  readonly ciphers?: string | undefined
  readonly sigalgs?: string | undefined
  readonly ecdhCurve?: string | undefined
  readonly crl?: Material | undefined
}
