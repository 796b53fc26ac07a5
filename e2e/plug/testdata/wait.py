"""Work that goes on until somebody lets it: the helper of the examples, as strangers use it."""
import os, time

from hivego_executor import handler, serve


@handler("wait", schema={"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}})
def wait(params, task):
    with open(params["file"] + ".began", "w"):
        pass
    while not os.path.exists(params["file"]):
        time.sleep(0.01)
    return {"waited": True}


serve(name="python")
