"""Sends a signed request, and prints the response."""

import http.client
import os
from urllib.parse import quote, urlencode, urlsplit

from sign import new_headers, sign_request

service = urlsplit(os.environ["BROKERWIRE_BASE_URL"])
path, query, body = "/auth/tokens/create", [("note", "a b&c")], b"{}"

headers = new_headers(os.environ["BROKERWIRE_APP_KEY"])
sign_request(headers, os.environ["BROKERWIRE_APP_SECRET"], service.netloc, path, query, body)
headers |= {"content-type": "application/json", "x-version": "v2"}

# http.client follows no redirect. A client that does would send the signature to another host.
secure = service.scheme == "https"
connection = (http.client.HTTPSConnection if secure else http.client.HTTPConnection)(service.netloc)
connection.request("POST", f"{path}?{urlencode(query, quote_via=quote)}", body, headers)
response = connection.getresponse()
print(response.status, response.read().decode())
