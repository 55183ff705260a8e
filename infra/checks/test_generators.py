"""Generated clients read the service: of the languages that need no tools beyond Java and Python, in half a minute.

`python infra/checks/clients.py` tries all languages.
"""

import shutil

import pytest

import clients

# In C#, only the generated code is read.
QUICK = ["python", "csharp"]


@pytest.mark.parametrize("name", QUICK)
def test_a_generated_client_reads_the_service(name: str) -> None:
    if shutil.which("java") is None:
        pytest.skip("java is not installed, which openapi-generator needs")
    language = clients.LANGUAGES[name]
    assert clients.tried(language) == language.expected()
