/** Rejected requests: status, code and message of the response. */

/** Why a request is rejected. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Thrown while a request is read or executed. The endpoint responds with it. */
export class TradingRefusal extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** A missing or invalid field. The message names it. */
export function fieldRefusal(field: string, expected: string): TradingRefusal {
  const message = `${field} must be ${expected}`
  return new TradingRefusal({ status: 417, code: 'INVALID_PARAMETER', message })
}

/** A rejected order. Codes of orders have the prefix `OPENAPI_` (packages/operations/OPERATIONS.md, errors). */
export function orderRefusal(code: string, message: string): TradingRefusal {
  return new TradingRefusal({ status: 417, code: `OPENAPI_${code}`, message })
}

export function refusal(code: string, message: string, status = 417): TradingRefusal {
  return new TradingRefusal({ status, code, message })
}
