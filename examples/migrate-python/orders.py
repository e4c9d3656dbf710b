"""Places an order, reads it and cancels it, with the official Python client."""

import os
import uuid

from webull.core.client import ApiClient
from webull.trade.trade_client import TradeClient


def place_and_cancel(api):
    # The client creates a token, and waits for its second factor.
    trade = TradeClient(api)
    account_id = trade.account_v2.get_account_list().json()[0]["account_id"]
    client_order_id = uuid.uuid4().hex
    order = {
        "client_order_id": client_order_id,
        "combo_type": "NORMAL",
        "instrument_type": "EQUITY",
        "market": "US",
        "symbol": "AAPL",
        "side": "BUY",
        "order_type": "LIMIT",
        "limit_price": "10.00",
        "entrust_type": "QTY",
        "quantity": "2",
        "time_in_force": "DAY",
        "support_trading_session": "CORE",
    }
    trade.order_v3.place_order(account_id, [order])
    trade.order_v3.cancel_order(account_id, client_order_id)
    detail = trade.order_v3.get_order_detail(account_id, client_order_id).json()
    print(detail["orders"][0]["status"], detail["orders"][0]["total_quantity"])


if __name__ == "__main__":
    place_and_cancel(ApiClient(os.environ["APP_KEY"], os.environ["APP_SECRET"], "us"))
