"""The failed lane's one press: everything that failed with an equal error is tried again, with a result for each
(P118, P119)."""

from pydantic import ValidationError
from starlette.responses import Response

from api.dashboard.actions import refused, tell_bulk
from api.dashboard.visit import Visit
from api.desk import Desk
from api.errors import ApiError
from api.failures import RetryEqualBody, retry_equal


async def retry_equals(visit: Visit) -> Response:
    """At most 50 at a time, the oldest first."""
    form = visit.form
    fields = {"failed_step": form.get("failed_step"), "error_type": form.get("error_type")}
    try:
        body = RetryEqualBody.model_validate({**fields, "request_id": form.get("request_id") or None})
        answer = await retry_equal(Desk(visit.services, visit.who, None), body, list(visit.mailboxes))
    except ValidationError:
        return await refused(visit, "bulk_retry", ApiError(422, "invalid", ""))
    except ApiError as error:
        return await refused(visit, "bulk_retry", error)
    await tell_bulk(visit, "retry", answer)
    return visit.back("/dashboard/inbox/failed")
