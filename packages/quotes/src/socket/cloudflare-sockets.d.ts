/**
 * Types of the part of workerd's module that is used here. The full types would add all globals of workerd.
 */
declare module 'cloudflare:sockets' {
  interface Socket {
    readonly readable: {
      getReader(): { read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }> }
    }
    readonly writable: {
      getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> }
    }
    readonly opened: Promise<unknown>
    readonly closed: Promise<unknown>
    close(): Promise<void>
  }
  export function connect(
    address: { readonly hostname: string; readonly port: number },
    options: { readonly secureTransport: 'on' | 'off'; readonly allowHalfOpen: boolean },
  ): Socket
}
