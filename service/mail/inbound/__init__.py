"""Mail in: from what a server hands over to what is done about it.

`receiving` stores a mail before anybody is told that it was taken; `reading` finds what its writer
wrote in it, `grammar` what that means, `answering` does it, and `bounces` is for mails that came
back. The worker calls them.
"""
