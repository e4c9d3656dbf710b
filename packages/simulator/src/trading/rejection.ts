/** Rejections of requests, with status, code and message of the response. */

/** The reason why a request is rejected. */
export interface Rejection {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Thrown while a request is read or executed. The endpoint sends it as the response. */
export class TradingRejection extends Error {
  readonly rejection: Rejection

  constructor(rejection: Rejection) {
    super(rejection.message)
    this.rejection = rejection
  }
}

/** Creates the rejection of a missing or invalid field. The message contains the name of the field. */
export function fieldRejection(field: string, expected: string): TradingRejection {
  const message = `${field} must be ${expected}`
  return new TradingRejection({ status: 417, code: 'INVALID_PARAMETER', message })
}

/**
 * Creates the rejection of an order. Error codes about orders have the prefix `OPENAPI_`
 * (packages/operations/OPERATIONS.md, errors).
 */
export function orderRejection(code: string, message: string): TradingRejection {
  return new TradingRejection({ status: 417, code: `OPENAPI_${code}`, message })
}

export function rejection(code: string, message: string, status = 417): TradingRejection {
  return new TradingRejection({ status, code, message })
}
