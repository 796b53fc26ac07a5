"""An executor with one handler. Run: python greet.py (see README.md)."""
from hivego_executor import Failure, handler, serve


@handler("greet", title="Greet", schema={
    "type": "object", "required": ["name"], "additionalProperties": False,
    "properties": {"name": {"type": "string", "title": "Name", "minLength": 1, "x-render": "plain"}}})
def greet(params, task):
    if params["name"] == "nobody":
        raise Failure("there is nobody to greet")
    task.log("greeting", params["name"])
    return {"greeting": f"Hello {params['name']}"}


serve(name="python")
