/** Puts a path before the method's: a base address is an origin. */
import type { Interceptor } from '@connectrpc/connect'

export function underPath(path: string): Interceptor {
  return (next) => (request) => {
    const url = new URL(request.url)
    url.pathname = path + url.pathname
    return next({ ...request, url: url.href })
  }
}
